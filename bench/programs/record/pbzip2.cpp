// SPDX-License-Identifier: Apache-2.0
// In the manner of pbzip2 0.9.4, with its order violation: main reads blocks into a queue, consumers compress them, a writer puts them
// together. Main waits for the writer only; when everything is written it deletes the queue, while consumers may still be on their way to
// see that there is nothing more to do.
// What fails: a consumer uses the queue's mutex after it has been deleted (null by then: it crashes). -DFIXED: main waits for all of them.
// record: -DDELAY=300 : crash
// check: --races explore -DBLOCKS=1
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#ifdef DELAY
#define linger(times) usleep(DELAY*(times))
#else
#define linger(times) ((void)0)
#endif

#ifndef BLOCKS
#define BLOCKS 4
#endif
#ifndef LENGTH
#define LENGTH 12  // of what is the same in a block
#endif

namespace {

constexpr int consumers = 2, room = 2;

struct Block {
  int number;
  std::string text;
};

struct Queue {
  std::vector<Block> waiting;
  bool empty = true, full = false;
  pthread_mutex_t* mutex = new pthread_mutex_t;
  pthread_cond_t* not_full = new pthread_cond_t;
  pthread_cond_t* not_empty = new pthread_cond_t;

  Queue() {
    pthread_mutex_init(mutex, nullptr);
    pthread_cond_init(not_full, nullptr);
    pthread_cond_init(not_empty, nullptr);
  }

  ~Queue() {
    pthread_mutex_destroy(mutex);
    delete mutex;
    mutex = nullptr;
    pthread_cond_destroy(not_full);
    delete not_full;
    not_full = nullptr;
    pthread_cond_destroy(not_empty);
    delete not_empty;
    not_empty = nullptr;
  }

  void add(Block block) {
    waiting.push_back(block);
    empty = false;
    full = waiting.size() == room;
  }

  Block remove() {
    Block first = waiting.front();
    waiting.erase(waiting.begin());
    empty = waiting.empty();
    full = false;
    return first;
  }
};

Queue* queue;
bool all_read;
std::string output[BLOCKS];
bool is_there[BLOCKS];
pthread_mutex_t output_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t output_changed = PTHREAD_COND_INITIALIZER;

/// Run lengths.
std::string compressed(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] == text[i]) ++end;
    result += text[i];
    result += static_cast<char>('0' + (end - i) % 10);
    i = end;
  }
  return result;
}

void* consume(void*) {
  Queue* from = queue;
  for (;;) {
    pthread_mutex_lock(from->mutex);
    while (from->empty) {
      if (all_read) {
        pthread_mutex_unlock(from->mutex);
        return nullptr;
      }
      pthread_cond_wait(from->not_empty, from->mutex);
    }
    const Block block = from->remove();
    pthread_mutex_unlock(from->mutex);
    pthread_cond_signal(from->not_full);
    const std::string result = compressed(block.text);
    pthread_mutex_lock(&output_mutex);
    output[block.number] = result;
    is_there[block.number] = true;
    pthread_cond_signal(&output_changed);
    pthread_mutex_unlock(&output_mutex);
    linger(1);
  }
}

void* write_all(void*) {
  std::size_t bytes = 0;
  for (int i = 0; i < BLOCKS; ++i) {
    pthread_mutex_lock(&output_mutex);
    while (!is_there[i]) pthread_cond_wait(&output_changed, &output_mutex);
    bytes += output[i].size();
    pthread_mutex_unlock(&output_mutex);
  }
  std::printf("%zu bytes\n", bytes);
  return nullptr;
}

void read_all() {
  for (int i = 0; i < BLOCKS; ++i) {
    pthread_mutex_lock(queue->mutex);
    while (queue->full) pthread_cond_wait(queue->not_full, queue->mutex);
    queue->add({i, std::string(LENGTH, static_cast<char>('a' + i)) + "bzip"});
    pthread_mutex_unlock(queue->mutex);
    pthread_cond_signal(queue->not_empty);
  }
  pthread_mutex_lock(queue->mutex);
  all_read = true;
  pthread_mutex_unlock(queue->mutex);
  pthread_cond_broadcast(queue->not_empty);
}

}  // namespace

int main() {
  queue = new Queue;
  pthread_t workers[consumers], writer;
  for (pthread_t& worker : workers) pthread_create(&worker, nullptr, consume, nullptr);
  pthread_create(&writer, nullptr, write_all, nullptr);
  read_all();
  pthread_join(writer, nullptr);
#ifdef FIXED
  for (pthread_t worker : workers) pthread_join(worker, nullptr);
#endif
  delete queue;
  linger(4);
#ifndef FIXED
  for (pthread_t worker : workers) pthread_join(worker, nullptr);
#endif
  return 0;
}
