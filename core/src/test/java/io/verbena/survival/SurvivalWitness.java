package io.verbena.survival;

import java.util.List;
import java.util.function.Supplier;

/** What an observer of both sides sees of the requests of one side, and the invariants. */
final class SurvivalWitness {

    private final List<RequestKind> kinds;
    private final boolean[] afterAnswers;
    private final int[] executions;
    private final boolean[] arrived;
    private final long[] found;

    /** The memory of the responder: the sum of all additions of 1, and the receives that were consumed. */
    private long sum;

    private int receivesCompleted;

    private long lastExecuted;
    private long completed;

    /** @param kinds the requests; the fenced ones are those at {@code afterAnswers} */
    SurvivalWitness(List<RequestKind> kinds, boolean[] afterAnswers) {
        this.kinds = kinds;
        this.afterAnswers = afterAnswers;
        executions = new int[kinds.size() + 1];
        arrived = new boolean[kinds.size() + 1];
        found = new long[kinds.size() + 1];
    }

    /** The responder executes a request; returns what an atomic operation finds. */
    long execute(long number, RequestKind kind) {
        int n = (int) number;
        for (int i = 1; i < n; i++) {
            int before = i;
            require(executions[before] > 0, () -> "request " + n + " is executed before " + before);
            require(
                    !afterAnswers[n - 1] || !kinds.get(before - 1).answered() || arrived[before],
                    () -> "request " + n + " has a fence and is executed before the answer of " + before);
        }
        executions[n]++;
        if (kind == RequestKind.READ) {
            return 0;
        }
        require(executions[n] == 1, () -> kind + " " + n + " is executed again");
        require(number > lastExecuted, () -> kind + " " + n + " is executed after " + lastExecuted);
        lastExecuted = number;
        receivesCompleted += kind == RequestKind.SEND ? 1 : 0;
        if (kind == RequestKind.ATOMIC) {
            found[n] = sum++;
        }
        return found[n];
    }

    /** The answer of a Read or an atomic operation is in the memory of the requester. */
    void arrive(long number) {
        arrived[(int) number] = true;
    }

    /** The requester completes a request with success. */
    void complete(long number, long original) {
        int n = (int) number;
        require(number == completed + 1, () -> "request " + n + " completes after " + completed);
        completed = number;
        arrived[n] |= kinds.get(n - 1) == RequestKind.ATOMIC; // perhaps with RESUME
        switch (kinds.get(n - 1)) {
            case READ -> require(arrived[n], () -> "Read " + n + " completes before its data arrived");
            case ATOMIC ->
                require(executions[n] == 1 && found[n] == original, () -> "atomic " + n + " returns " + original);
            case WRITE, SEND -> require(executions[n] == 1, () -> "request " + n + " completes and was not executed");
        }
    }

    boolean complete() {
        return completed == kinds.size();
    }

    /** Nothing else will happen. */
    void end() {
        require(completed == kinds.size(), () -> completed + " of " + kinds.size() + " requests are complete");
        long atomics = kinds.stream().filter(RequestKind.ATOMIC::equals).count();
        long sends = kinds.stream().filter(RequestKind.SEND::equals).count();
        require(sum == atomics, () -> "the sum is " + sum + " after " + atomics + " additions");
        require(
                receivesCompleted == sends,
                () -> receivesCompleted + " receives are complete after " + sends + " Sends");
    }

    long digest() {
        long digest = completed;
        for (int n = 1; n < executions.length; n++) {
            digest = digest * 16 + Math.min(executions[n], 3) * 2L + (arrived[n] ? 1 : 0);
        }
        return digest;
    }

    private static void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new Violated(otherwise.get());
        }
    }

    /** An invariant does not hold. */
    static final class Violated extends RuntimeException {
        private static final long serialVersionUID = 1;

        Violated(String reason) {
            super(reason);
        }
    }
}
