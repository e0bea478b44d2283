/* SPDX-License-Identifier: Apache-2.0 */
/* In front of every file of the runtime: its code has a section of its own, so that a pc can be told from one of the program's. */
#pragma clang section text = "treadle_rt"
