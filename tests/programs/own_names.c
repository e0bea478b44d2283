// SPDX-License-Identifier: Apache-2.0
// Variables that are called like functions of the C library which Treadle stands in front of. Here they are the program's, and
// nothing of Treadle's may call one.
// CHECK: strategy=optimal verdict=bugs kinds=data-race flags=-Wno-builtin-requires-header
// CHECK: strategy=optimal verdict=clean flags="-Wno-builtin-requires-header -DFIXED"
// clang-format off
int accept, accept4, alarm, arc4random, arc4random_buf, arc4random_uniform, bsd_signal, call_once, chdir, chroot, clock, clock_getres,
    clock_gettime, clock_nanosleep, clock_settime, clone, close, close_range, closefrom, cnd_broadcast, cnd_destroy, cnd_init,
    cnd_signal, cnd_timedwait, cnd_wait, connect, creat, creat64, daemon, drand48, dup, dup2, dup3, epoll_create, epoll_create1,
    epoll_pwait, epoll_pwait2, epoll_wait, erand48, eventfd, execl, execle, execlp, execv, execve, execvp, execvpe, fchdir, fclose,
    fcntl, fcntl64, fexecve, fgetc, fgets, flock, flockfile, fopen, fopen64, fork, fread, freopen, freopen64, ftrylockfile, funlockfile,
    fwrite, getc, getchar, getcpu, getentropy, getpid, getppid, getrandom, getrusage, gettid, gettimeofday, getutent, getutent_r,
    getutid, getutid_r, getutline, getutline_r, getutxent, getutxid, getutxline, initstate, inotify_init, inotify_init1, jrand48, kill,
    lcong48, lrand48, memfd_create, mkostemp, mkstemp, mkstemp64, mq_open, mrand48, msgget, mtx_destroy, mtx_init, mtx_lock,
    mtx_timedlock, mtx_trylock, mtx_unlock, nanosleep, newlocale, nice, nrand48, open, open64, openat, openat64, opendir, pause, pipe,
    pipe2, poll, popen, posix_spawn, posix_spawnp, ppoll, pread, pread64, pselect, pututline, pututxline, pwrite, pwrite64, raise, rand,
    random, read, readv, recv, recvfrom, recvmmsg, recvmsg, sched_getcpu, sched_setaffinity, sched_yield, seed48, select, sem_clockwait,
    sem_close, sem_destroy, sem_getvalue, sem_init, sem_open, sem_post, sem_timedwait, sem_trywait, sem_unlink, sem_wait, semget, send,
    sendmmsg, sendmsg, sendto, setegid, seteuid, setgid, setgroups, setitimer, setlocale, setpgid, setpriority, setregid, setreuid,
    setrlimit, setrlimit64, setsid, setstate, settimeofday, setuid, shm_open, shmat, shmget, shutdown, sigaction, sigaltstack, sighold,
    sigignore, siginterrupt, signal, signalfd, sigpending, sigprocmask, sigqueue, sigrelse, sigset, sigsuspend, sigtimedwait, sigwait,
    sigwaitinfo, sleep, socket, socketpair, srand, srand48, srandom, system, sysv_signal, thrd_create, thrd_current, thrd_detach,
    thrd_exit, thrd_join, thrd_sleep, thrd_yield, time, timer_create, timerfd_create, times, timespec_get, tmpfile, tmpfile64,
    tss_create, tss_delete, tss_get, tss_set, ualarm, umask, unshare, usleep, write, writev;
// clang-format on

int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *), void *argument);
int pthread_join(unsigned long thread, void **result);
long syscall(long number, ...);

static void *run(void *unused) {
#ifndef FIXED
  send++;
#endif
  syscall(24 /* sched_yield */);
  return 0;
}

int main(void) {
  unsigned long a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return syscall(39 /* getpid */) == 0 ? read + write : 0;
}
