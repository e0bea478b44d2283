/* SPDX-License-Identifier: Apache-2.0 */
/* An environment variable that the runtime takes out before the program sees it. */
#pragma once

/* What is symbolic besides what the program asks for, a line each: "stdin N", "file PATH", "arg N", "env NAME". */
#define TREADLE_ENV_SOURCES "TREADLE_SYMBOLIC"
