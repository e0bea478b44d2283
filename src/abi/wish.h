/* SPDX-License-Identifier: Apache-2.0 */
/* A decision of a prefix may be a wish: it is passed over where it is not possible. Wishes stand behind everything else. */
#ifndef TREADLE_ABI_WISH_H
#define TREADLE_ABI_WISH_H

#define TREADLE_WISH 0x8000u /* in TreadleDecision::argument, which is far smaller otherwise */

#endif
