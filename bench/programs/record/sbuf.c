// SPDX-License-Identifier: Apache-2.0
// sbuf, after the StringBuffer of JDK 1.4: every operation is locked, but append asks the other buffer for its length and for its
// characters in two operations. What is erased in between is missing. What fails: characters are asked for that are not there any more.
// -DFIXED: append holds the other's lock. record: -DDELAY=1000 : assertion check: --races explore -DLENGTH=3
#include "provoke.h"

#ifndef LENGTH
#define LENGTH 40
#endif

struct string_buffer {
  pthread_mutex_t mutex;
  char* text;
  size_t length, room;
};

static struct string_buffer first, second;

static void make(struct string_buffer* buffer) {
  pthread_mutexattr_t recursive;  // as Java's are
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&buffer->mutex, &recursive);
  buffer->room = 16;
  buffer->text = malloc(buffer->room);
  buffer->length = 0;
}

static size_t length_of(struct string_buffer* buffer) {
  pthread_mutex_lock(&buffer->mutex);
  const size_t length = buffer->length;
  pthread_mutex_unlock(&buffer->mutex);
  return length;
}

static void expand(struct string_buffer* buffer, size_t wanted) {
  if (buffer->room >= wanted) return;
  while (buffer->room < wanted) buffer->room *= 2;
  buffer->text = realloc(buffer->text, buffer->room);
}

static void get_characters(struct string_buffer* from, size_t count, char* to) {
  pthread_mutex_lock(&from->mutex);
  assert(count <= from->length);
  for (size_t i = 0; i < count; i++) to[i] = from->text[i];
  pthread_mutex_unlock(&from->mutex);
}

static void append_character(struct string_buffer* buffer, char character) {
  pthread_mutex_lock(&buffer->mutex);
  expand(buffer, buffer->length + 1);
  buffer->text[buffer->length++] = character;
  pthread_mutex_unlock(&buffer->mutex);
}

static void append(struct string_buffer* buffer, struct string_buffer* other) {
  pthread_mutex_lock(&buffer->mutex);
#ifdef FIXED
  pthread_mutex_lock(&other->mutex);
#endif
  const size_t length = length_of(other);
  linger(1);
  expand(buffer, buffer->length + length);
  get_characters(other, length, buffer->text + buffer->length);
  buffer->length += length;
#ifdef FIXED
  pthread_mutex_unlock(&other->mutex);
#endif
  pthread_mutex_unlock(&buffer->mutex);
}

static void erase(struct string_buffer* buffer) {
  pthread_mutex_lock(&buffer->mutex);
  buffer->length = 0;
  pthread_mutex_unlock(&buffer->mutex);
}

static void* erase_second(void* unused) {
  (void)unused;
  erase(&second);
  for (int i = 0; i < LENGTH / 4; i++) append_character(&second, 'x');
  return NULL;
}

int main(void) {
  make(&first);
  make(&second);
  for (int i = 0; i < LENGTH; i++) append_character(&second, (char)('a' + i % 26));
  start(erase_second);
  append(&first, &second);
  join_all();
  printf("%zu\n", length_of(&first));
  pthread_mutex_destroy(&first.mutex);
  pthread_mutex_destroy(&second.mutex);
  return 0;
}
