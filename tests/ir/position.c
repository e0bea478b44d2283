// RUN-FLAGS: -O0 -gline-tables-only
// RUN-FLAGS: -O2 -g
int x, flag;
struct { int a[5]; } s, t;
// Hooks carry the line of the access they stand for.
// CHECK-LABEL: @lines
int lines(int* p) {
  // CHECK: call i32 @__treadle_load4(ptr{{.*}} @x){{.*}} !dbg [[LOAD:![0-9]+]]
  int a = x;
  // CHECK: call void @__treadle_store4(ptr %p, {{.*}} !dbg [[STORE:![0-9]+]]
  *p = a;
  // CHECK: call void @__treadle_range_read{{.*}} !dbg [[COPY:![0-9]+]]
  // CHECK: call void @__treadle_range_write{{.*}} !dbg [[PASTE:![0-9]+]]
  s = t;
  // CHECK: call void @__treadle_loop_enter{{.*}} !dbg
  // CHECK: call void @__treadle_loop(i64{{.*}} !dbg [[LOOP:![0-9]+]]
  while (!flag);
  return a;
}
// CHECK-DAG: [[LOAD]] = !DILocation(line: 9,
// CHECK-DAG: [[STORE]] = !DILocation(line: 11,
// CHECK-DAG: [[COPY]] = !DILocation(line: 14,
// CHECK-DAG: [[PASTE]] = !DILocation(line: 14,
// CHECK-DAG: [[LOOP]] = !DILocation(line: 17,
