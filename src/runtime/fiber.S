/* SPDX-License-Identifier: Apache-2.0 */
/* void treadle_switch(void** save, void* load): leave the running stack, go on with another one. Everything the ABI wants kept is
 * pushed, so a context is one stack pointer. */
        .text
        .globl  treadle_switch
        .hidden treadle_switch
        .type   treadle_switch, @function
treadle_switch:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   treadle_switch, .-treadle_switch

/* The bottom of every stack of ours. Unwinders and frame-pointer walks end here: the return address is undefined, rbp is 0. */
        .globl  treadle_fiber_entry
        .hidden treadle_fiber_entry
        .type   treadle_fiber_entry, @function
treadle_fiber_entry:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        /* The first function saves the caller's registers, and a program can see in its uninitialised variables what lay there. */
        xorl    %ebx, %ebx
        xorl    %r12d, %r12d
        xorl    %r13d, %r13d
        xorl    %r14d, %r14d
        xorl    %r15d, %r15d
        call    treadle_fiber_body
        ud2
        .cfi_endproc
        .size   treadle_fiber_entry, .-treadle_fiber_entry

/* void treadle_run_on_stack(void* top): kernel carrier: a real thread moves to its fixed place and stays there. */
        .globl  treadle_run_on_stack
        .hidden treadle_run_on_stack
        .type   treadle_run_on_stack, @function
treadle_run_on_stack:
        movq    %rdi, %rsp
        jmp     treadle_fiber_entry
        .size   treadle_run_on_stack, .-treadle_run_on_stack

        .section .note.GNU-stack,"",@progbits
