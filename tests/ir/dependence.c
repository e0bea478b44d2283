// Each hook and each call of a library function has a key of its own in its source position; what is known about it stands in a section
// that is read-only and is kept.
// RUN-FLAGS: -O0 -g
// RUN-FLAGS: -O2 -gline-tables-only
#include <pthread.h>
int x, y;
// CHECK-DAG: @treadle_dependence = private constant <{ {{.*}} }> <{ i32 1346716756, i32 2, {{.*}} }>, section "treadle_deps", align 4
// CHECK-DAG: @llvm.used = appending global {{.*}} @treadle_dependence

// CHECK-LABEL: @events(
// CHECK: call i32 @__treadle_load4(ptr{{.*}} @x){{.*}} !dbg [[LOAD:![0-9]+]]
// CHECK: call void @__treadle_store4(ptr{{.*}} @y{{.*}} !dbg [[STORE:![0-9]+]]
// CHECK: @pthread_mutex_lock({{.*}} !dbg [[LOCK:![0-9]+]]
void events(pthread_mutex_t* m) { y = x; pthread_mutex_lock(m); }

// CHECK-DAG: [[LOAD]] = !DILocation(line: 14, {{.*}}scope: [[LOAD_SCOPE:![0-9]+]]
// CHECK-DAG: [[LOAD_SCOPE]] = !DILexicalBlockFile({{.*}}discriminator: [[#KEY:]])
// CHECK-DAG: [[STORE]] = !DILocation(line: 14, {{.*}}scope: [[STORE_SCOPE:![0-9]+]]
// CHECK-DAG: [[STORE_SCOPE]] = !DILexicalBlockFile({{.*}}discriminator: {{[0-9]+}})
// CHECK-DAG: [[LOCK]] = !DILocation(line: 14, {{.*}}scope: [[LOCK_SCOPE:![0-9]+]]
// CHECK-DAG: [[LOCK_SCOPE]] = !DILexicalBlockFile({{.*}}discriminator: {{[0-9]+}})
