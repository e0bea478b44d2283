// What works on more than one value is announced with its exact extent.
// RUN-FLAGS: -O0
// RUN-FLAGS: -O2
#include <string.h>
#include <strings.h>
struct Three { int a, b, c; } one, two;
struct Pair { int a, b; } p, q;
char buffer[100];

// Other threads may come between reading and writing.
// CHECK-LABEL: @struct_copy
// CHECK: call void @__treadle_range_read(ptr{{.*}} @two, i64 12)
// CHECK-NEXT: call void @llvm.memcpy{{.*}}(ptr {{.*}}[[LOCAL:%.*]], ptr {{.*}}@two, i64 12
// CHECK-NEXT: call void @__treadle_range_write(ptr{{.*}} @one, i64 12)
// CHECK-NEXT: call void @llvm.memcpy{{.*}}(ptr {{.*}}@one, ptr {{.*}}[[LOCAL]], i64 12
void struct_copy(void) { one = two; }

// CHECK-LABEL: @large_copy
// CHECK: call void @__treadle_range_read(ptr{{.*}} @page, i64 4096)
// CHECK-NEXT: call void @__treadle_range_write(ptr{{.*}} @other_page, i64 4096)
// CHECK-NEXT: call void @llvm.memcpy
struct Page { char bytes[4096]; } page, other_page;
void large_copy(void) { other_page = page; }

// CHECK-LABEL: @register_copy
// CHECK: [[V:%.*]] = {{.*}}call i64 @__treadle_load8(ptr{{.*}} @q)
// CHECK: call void @__treadle_store8(ptr{{.*}} @p, i64 [[V]])
void register_copy(void) { p = q; }

// CHECK-LABEL: @memory
// CHECK: call void @__treadle_range_read(ptr %from, i64 %n)
// CHECK: call void @__treadle_range_write(ptr %to, i64 %n)
// CHECK: call {{.*}}@llvm.memcpy
// CHECK: call void @__treadle_range_read(ptr %from, i64 %n)
// CHECK: call void @__treadle_range_write(ptr %to, i64 %n)
// CHECK: call {{.*}}@llvm.memmove
// CHECK: call void @__treadle_range_write(ptr %to, i64 %n)
// CHECK: call {{.*}}@llvm.memset
// CHECK: call void @__treadle_range_write(ptr %to, i64 %n)
void memory(char* to, const char* from, size_t n) { memcpy(to, from, n); memmove(to, from, n); memset(to, 1, n); bzero(to, n); }

// CHECK-LABEL: @comparisons
// CHECK: call void @__treadle_range_read(ptr %a, i64 %n)
// CHECK: call void @__treadle_range_read(ptr %b, i64 %n)
// CHECK: call i32 @{{memcmp|bcmp}}
// CHECK: [[N:%.*]] = {{.*}}call i64 @__treadle_compared_bytes(ptr %a, ptr %b, i64 -1)
// CHECK: call void @__treadle_range_read(ptr %a, i64 [[N]])
// CHECK: call void @__treadle_range_read(ptr %b,
// CHECK: call i32 @strcmp
// CHECK: call i64 @__treadle_compared_bytes(ptr %a, ptr %b, i64 %n)
// CHECK: call i32 @strncmp
// CHECK: [[F:%.*]] = {{.*}}call i64 @__treadle_found_bytes(ptr %a, i32 65, i64 %n)
// CHECK: call void @__treadle_range_read(ptr %a, i64 [[F]])
// CHECK: @memchr
int comparisons(const char* a, const char* b, size_t n) {
  return memcmp(a, b, n) + strcmp(a, b) + strncmp(a, b, n) + (memchr(a, 'A', n) != 0);
}

// CHECK-LABEL: @strings
// CHECK: [[L:%.*]] = {{.*}}call i64 @__treadle_string_length(ptr %s, i64 -1)
// CHECK: [[B:%.*]] = add i64 [[L]], 1
// CHECK: call void @__treadle_range_read(ptr %s, i64 [[B]])
// CHECK: call i64 @strlen
// CHECK: call void @__treadle_range_read(ptr %s
// CHECK: call void @__treadle_range_write(ptr{{.*}} @buffer
// CHECK: @{{strcpy|stpcpy}}
// CHECK: call void @__treadle_range_read(ptr %s
// CHECK: call void @__treadle_range_write(ptr{{.*}} @buffer, i64 5)
// CHECK: @strncpy
// CHECK: call void @__treadle_range_read(ptr %s
// CHECK: call void @__treadle_range_read(ptr{{.*}} @buffer
// CHECK: [[END:%.*]] = getelementptr{{.*}} i8, ptr @buffer, i64
// CHECK: call void @__treadle_range_write(ptr{{.*}} [[END]]
// CHECK: @strcat
// CHECK: call void @__treadle_range_read(ptr %s
// CHECK: @strchr
// CHECK: call void @__treadle_range_read(ptr %s
// CHECK: @strdup
char* strings(const char* s) {
  volatile size_t n = strlen(s);
  strcpy(buffer, s);
  strncpy(buffer, s, 5);
  strcat(buffer, s);
  if (strchr(s, n)) return 0;
  return strdup(s);
}

// CHECK-LABEL: @fortified
// CHECK: call void @__treadle_range_write(ptr %to, i64 %n)
// CHECK: @__memset_chk
void fortified(char* to, size_t n, size_t room) { __builtin___memset_chk(to, 0, n, room); }

// A function of the program is not the library's, whatever its name.
// CHECK-LABEL: @own_function
// CHECK-NOT: range_read
// CHECK: {{^}}}
static __attribute__((noinline)) char* strstr_(const char* s) { return (char*)s; }
char* own_function(const char* s) { return strstr_(s); }

// CHECK-LABEL: @by_value_arguments
// CHECK: call void @__treadle_range_read(ptr{{.*}} @big, i64 80)
// CHECK: call void @consume(ptr {{.*}}byval
struct Big { int a[20]; } big;
void consume(struct Big);
void by_value_arguments(void) { consume(big); }
