// SPDX-License-Identifier: Apache-2.0
// Stands in front of libstdc++'s own. That says (1) that the templates of strings and streams for char are in libstdc++.so, where they have
// no hooks: races on a std::string would not be seen. -1 leaves only strings to the program, as C++20 does; streams stay there, as the
// standard ones may be used by all threads, which only the library itself knows how to do. The macro cannot be set on the command line.
#pragma GCC system_header
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
