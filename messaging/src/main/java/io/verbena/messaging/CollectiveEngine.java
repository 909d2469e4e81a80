package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.AlgorithmTable;
import io.verbena.messaging.collective.Call;
import io.verbena.messaging.collective.Schedule;
import io.verbena.messaging.collective.Schedules;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Revocation;
import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.Unexpected;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The collective operations of one communicator. All ranks start them in the same order; operations in progress advance independently of each
 * other. If one fails, all later ones fail too, since ranks do not agree any more on what comes next; other ranks are notified.
 */
final class CollectiveEngine {

    /** Number of schedules that are kept for the next call. */
    private static final int MAX_KEPT = 16;

    /** Number of calls that are remembered, to be named in an exception. */
    private static final int RECENT = 64;

    /** Scratch memory of kept schedules. Memory that is new at each call costs page faults and a registration, as much as the transfer. */
    private static final long MAX_KEPT_SCRATCH_BYTES = 32 << 20;

    private final CollectiveEngines engines;
    private final int number;
    private final Group group;
    private final int rank;
    private AlgorithmTable table = AlgorithmTable.DEFAULT;
    private final List<CollectiveRun> active = new ArrayList<>();
    private final LinkedHashMap<Call, CollectiveRun> idle = new LinkedHashMap<>(MAX_KEPT, 0.75f, true);

    /** The one that was used last, which most programs use again at once: it is found without the map. */
    private @Nullable CollectiveRun last;

    private long keptScratchBytes; // of both
    private long started;
    private long completed;
    private long failed;
    private long bytes;
    private long steps;
    private int nextTag; // of an operation; 31 bits, which wrap around
    private final @Nullable Call[] recent = new @Nullable Call[RECENT]; // the last calls, by their tags
    private String ended = "";
    private String revoked = "";
    private final Agreements agreements;
    private List<Integer> died = List.of();

    CollectiveEngine(CollectiveEngines engines, int number, Group group, int rank) {
        this.engines = engines;
        this.number = number;
        this.group = group;
        this.rank = rank;
        agreements = engines.agreements(number, group, rank);
    }

    /** The agreements of the ranks, which go on after collective operations have ended. */
    Agreements agreements() {
        return agreements;
    }

    int number() {
        return number;
    }

    Group group() {
        return group;
    }

    int rank() {
        return rank;
    }

    AlgorithmTable table() {
        return table;
    }

    /** Sets the table for operations that are prepared from now on. */
    void table(AlgorithmTable value) {
        table = value;
        idle.clear();
        last = null;
        keptScratchBytes = 0;
    }

    CollectiveHost messenger() {
        return engines.messenger;
    }

    // Starting.

    /** An operation that the program holds; it has not been started. */
    CollectiveRun prepare(Call call, MemorySegment send, MemorySegment receive) {
        Schedule schedule = Schedules.compile(call, table, rank, group.size());
        return new CollectiveRun(this, call, schedule).over(send, receive);
    }

    /** Executes an operation and returns when this rank has done its part. */
    void execute(Call call, MemorySegment send, MemorySegment receive) {
        CollectiveRun run = take(call, send, receive);
        start(run);
        run.complete();
        recycle(run);
    }

    /** An operation that no program holds; to be returned by {@link #recycle}. */
    private CollectiveRun take(Call call, MemorySegment send, MemorySegment receive) {
        CollectiveRun kept = last;
        if (kept != null && kept.call().equals(call)) {
            last = null;
        } else {
            kept = idle.remove(call);
        }
        if (kept == null) {
            return prepare(call, send, receive);
        }
        drop(kept);
        return kept.over(send, receive);
    }

    private void recycle(CollectiveRun run) {
        long scratchBytes = run.schedule().scratchBytes();
        if (scratchBytes > MAX_KEPT_SCRATCH_BYTES) {
            return;
        }
        CollectiveRun before = last;
        last = run.over(MemorySegment.NULL, MemorySegment.NULL);
        keptScratchBytes += scratchBytes;
        if (before != null) {
            CollectiveRun same = idle.put(before.call(), before);
            if (same != null) {
                drop(same);
            }
        }
        while (idle.size() > MAX_KEPT || keptScratchBytes > MAX_KEPT_SCRATCH_BYTES) {
            drop(idle.pollFirstEntry().getValue());
        }
    }

    private void drop(CollectiveRun run) {
        keptScratchBytes -= run.schedule().scratchBytes();
    }

    /** Starts an operation: the next one in the order of all ranks. */
    CollectiveRun start(CollectiveRun run) {
        started++;
        int tag = nextTag;
        nextTag = nextTag + 1 & Integer.MAX_VALUE;
        run.begin(tag);
        recent[tag % RECENT] = run.call();
        active.add(run);
        if (ended.isEmpty()) {
            check(run, run.context());
        }
        if (!ended.isEmpty()) {
            run.fail(failure());
        }
        engines.advance();
        return run;
    }

    int advance() {
        int work = 0;
        for (int i = 0; i < active.size(); i++) {
            work += active.get(i).advance();
        }
        for (int i = active.size() - 1; i >= 0; i--) {
            CollectiveRun run = active.get(i);
            if (run.isDone()) {
                active.remove(i);
                count(run);
                if (ended.isEmpty()) {
                    check(run, -1);
                }
            }
        }
        return work;
    }

    private void count(CollectiveRun run) {
        if (run.failed()) {
            failed++;
        } else {
            completed++;
            bytes += run.call().volume().bytes();
        }
        steps += run.executed();
    }

    CommunicatorFigures figures() {
        return new CommunicatorFigures(
                group.size(),
                new CommunicatorFigures.Operations(started, completed, failed, bytes, steps),
                agreements.started());
    }

    // Ranks that call different operations.

    /** Messages of other ranks for the place of an operation in the order must be messages of that operation. */
    private void check(CollectiveRun run, int expected) {
        Unexpected stray = engines.stray(number, run.tag(), expected);
        if (stray != null) {
            mismatch(stray.source(), stray.context(), run.call());
        }
    }

    /** Returns whether a message is for an operation that this rank has not started or is executing. */
    boolean admits(int source, int tag, int context) {
        if (!ended.isEmpty()) {
            return false;
        }
        if (tag - nextTag << 1 >= 0) {
            return true; // tags have 31 bits
        }
        for (int i = 0; i < active.size(); i++) {
            CollectiveRun run = active.get(i);
            if (run.tag() == tag) {
                if (run.context() == context && !run.isDone()) {
                    return true;
                }
                mismatch(source, context, run.call());
                return false;
            }
        }
        Call last = (nextTag - tag & Integer.MAX_VALUE) > RECENT ? null : recent[tag % RECENT];
        if (last != null) {
            mismatch(source, context, last);
        } else {
            end(
                    "Rank " + group.rankOf(source)
                            + " sent a message for a collective operation that has ended here: ranks"
                            + " have called different operations.",
                    Revocation.MISMATCH);
        }
        return false;
    }

    private void mismatch(int source, int context, Call own) {
        int signature = Contexts.signature(context);
        String difference = signature == own.signature()
                ? "sent more bytes than this rank receives"
                : own.difference(signature, group.size());
        String sentence = "Rank " + group.rankOf(source) + " " + difference + " where this rank called " + own + ".";
        end(sentence, Revocation.MISMATCH);
    }

    // Failures.

    /** Ends all collective operations of this communicator, those in progress and later ones. */
    void end(String sentence, List<Integer> ranks) {
        if (!ended.isEmpty()) {
            return;
        }
        ended = sentence;
        died = ranks;
        for (int i = 0; i < active.size(); i++) {
            active.get(i).fail(failure());
        }
        engines.discard(number);
    }

    /** Ends them because of a failure that other ranks do not know of. */
    void end(String sentence, Revocation reason) {
        if (ended.isEmpty()) {
            end(sentence, List.of());
            engines.revoke(this, reason);
        }
    }

    /** A rank, perhaps this one, has revoked the communicator. Returns false if that is known. */
    boolean revoke(String sentence) {
        if (!revoked.isEmpty()) {
            return false;
        }
        revoked = sentence;
        end(sentence, List.of());
        return true;
    }

    boolean isRevoked() {
        return !revoked.isEmpty();
    }

    void checkRevoked() {
        if (!revoked.isEmpty()) {
            throw new RevokedException(revoked);
        }
    }

    void onDeath() {
        List<Integer> ranks =
                engines.failures().died().stream().filter(group::contains).toList();
        end(
                (ranks.size() == 1 ? "Rank " : "Ranks ")
                        + String.join(", ", ranks.stream().map(String::valueOf).toList())
                        + " died: a collective operation needs all ranks of its communicator."
                        + reasons(ranks),
                ranks);
    }

    /** How this rank knows of the deaths, as far as it had connections. */
    private String reasons(List<Integer> ranks) {
        StringBuilder all = new StringBuilder();
        for (int dead : ranks) {
            String gone = dead == group.world(rank) ? "" : messenger().peer(dead).gone;
            all.append(gone.isEmpty() ? "" : " " + gone);
        }
        return all.toString();
    }

    /** Another rank has left an operation because of deaths, which it has reported before. */
    void onReportedDeath(String sentence) {
        if (engines.failures().died().stream().anyMatch(group::contains)) {
            onDeath();
        } else {
            end(sentence, List.of());
        }
    }

    private MessagingException failure() {
        if (!revoked.isEmpty()) {
            return new RevokedException(revoked);
        }
        return died.isEmpty() ? new MessagingException(ended) : new RankFailedException(ended, died);
    }

    /** An operation on a message has failed. */
    void failed(CollectiveRun run, Operation operation) {
        List<Integer> ranks =
                engines.failures().died().stream().filter(group::contains).toList();
        if (ranks.isEmpty()) {
            end(operation.failure() + " It belongs to " + run.call() + ".", Revocation.FAILED);
        } else {
            end(operation.failure(), ranks);
        }
    }

    /** A wait has taken so long that all ranks which could have died must be connected to this one. */
    void connectAll() {
        engines.connectAll(group);
    }
}
