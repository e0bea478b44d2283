// SPDX-License-Identifier: Apache-2.0
// Descriptors that are left open, mappings that are left mapped, standard streams that are closed: the next execution finds everything as
// the first did.
// CHECK: strategy=random max=300 verdict=incomplete options="--guard-every 1 --outcomes" outcomes="file=3,mapping=56075093016576,pipe=5,stream=6,zero=0"
// CHECK: strategy=random max=50 verdict=incomplete options="--guard-every 1 --outcomes --carrier fork" outcomes="file=3,mapping=56075093016576,pipe=5,stream=6,zero=0"
// CHECK: strategy=random max=50 verdict=incomplete options="--guard-every 1 --outcomes --carrier kernel" outcomes="file=3,mapping=56075093016576,pipe=5,stream=6,zero=0"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <treadle/treadle.h>
#include <unistd.h>

static void *nothing(void *unused) { return NULL; }

int main(void) {
  treadle_observe("file", open("/etc/passwd", O_RDONLY));
  int ends[2];
  assert(pipe(ends) == 0);
  treadle_observe("pipe", ends[1]);
  treadle_observe("stream", fileno(fopen("/etc/passwd", "r")));
  char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  treadle_observe("mapping", (long)memory);
  assert(memory[0] == 0);
  memory[0] = 1;
  fclose(stdout);
  close(0);
  treadle_observe("zero", open("/etc/passwd", O_RDONLY));
  for (int fd = 10; fd < 2000; fd++) close(fd);
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  return 0;
}
