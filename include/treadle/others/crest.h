/* SPDX-License-Identifier: Apache-2.0 */
/* CREST's names, for programs written for it: they compile as they are, and leave their inputs to Treadle. Only taken when neither the
 * project nor the system has a header of this name. */
#ifndef TREADLE_OTHERS_CREST_H
#define TREADLE_OTHERS_CREST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each makes a variable of the type in its name an input. */
#define CREST_char(x) __CrestChar(&(x))
#define CREST_unsigned_char(x) __CrestUChar(&(x))
#define CREST_short(x) __CrestShort(&(x))
#define CREST_unsigned_short(x) __CrestUShort(&(x))
#define CREST_int(x) __CrestInt(&(x))
#define CREST_unsigned_int(x) __CrestUInt(&(x))

/* Later versions have these, too. */
#define CREST_long(x) __CrestLong(&(x))
#define CREST_unsigned_long(x) __CrestULong(&(x))
#define CREST_long_long(x) __CrestLongLong(&(x))
#define CREST_unsigned_long_long(x) __CrestULongLong(&(x))
#define CREST_float(x) __CrestFloat(&(x))
#define CREST_double(x) __CrestDouble(&(x))

void __CrestChar(char *x);
void __CrestUChar(unsigned char *x);
void __CrestShort(short *x);
void __CrestUShort(unsigned short *x);
void __CrestInt(int *x);
void __CrestUInt(unsigned *x);
void __CrestLong(long *x);
void __CrestULong(unsigned long *x);
void __CrestLongLong(long long *x);
void __CrestULongLong(unsigned long long *x);
void __CrestFloat(float *x);
void __CrestDouble(double *x);

/* What crestc puts into a program: without effect, Treadle has instrumentation of its own. */
void __CrestInit(void);
void __CrestLoad(int id, unsigned long address, long long value);
void __CrestStore(int id, unsigned long address);
void __CrestClearStack(int id);
void __CrestApply1(int id, int operation, long long value);
void __CrestApply2(int id, int operation, long long value);
void __CrestBranch(int id, int branch, unsigned char taken);
void __CrestCall(int id, unsigned function);
void __CrestReturn(int id);
void __CrestHandleReturn(int id, long long value);

#ifdef __cplusplus
}
#endif

#endif
