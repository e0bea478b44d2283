#include <pthread.h>
#include <stdio.h>
int balance = 100;
void *withdraw(void *amount) {
  if (balance >= *(int *)amount) balance -= *(int *)amount;
  return NULL;
}
int main() {
  pthread_t a, b; int sum = 80;
  pthread_create(&a, NULL, withdraw, &sum), pthread_create(&b, NULL, withdraw, &sum);
  pthread_join(a, NULL), pthread_join(b, NULL), printf("%d\n", balance);
}
