package io.verbena.engine;

import io.verbena.base.Digest;
import io.verbena.base.DoorbellStack;
import io.verbena.base.Log;
import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.memory.EngineEpoch;
import io.verbena.port.StreamLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One engine of an RNIC: serves endpoints one after the other, each within its budget. One thread at a time owns it; a method
 * that other threads may call says so. In steady state a turn allocates nothing.
 *
 * <p><b>Containment.</b> Whatever is thrown while a queue pair or a command is served, errors included, ends that queue pair and
 * nothing else. Where that fails too, or something is thrown outside of any queue pair, the engine has failed: its
 * endpoints end, and the engine calls the failure listener of its constructor, which flushes the queue pairs. A failed
 * engine continues to take turns, which run commands and flush posted work, so that every waiting thread is woken.
 */
public final class RnicEngine {

    /** Bytes that an endpoint may move in a turn, in each direction, before the next one is served. */
    public static final int BYTE_BUDGET = 256 * 1024;

    private static final int COMMANDS_A_TURN = 1024;

    private final int index;
    private final EngineHost environment;
    private final DoorbellStack doorbells = new DoorbellStack();
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final ReadyRing ready = new ReadyRing();
    private final Deadlines deadlines = new Deadlines();
    private final EngineEpoch epoch = new EngineEpoch();
    private final TurnBuffers buffers;
    private final SlabPool pool = new SlabPool();
    private final List<Endpoint> members = new ArrayList<>();

    private final Starving starving;
    private boolean inTurn;

    /** Endpoints that wait for memory, and whether some became available since they were last served. */
    private final List<Endpoint> awaitingMemory = new ArrayList<>();

    private volatile boolean memoryCame;

    private @Nullable Endpoint atTurnEnd;

    private final BiConsumer<RnicEngine, String> onFailure;

    /** Why it has failed, in one sentence; empty while it works. Written by the owner. */
    private volatile String failure = "";

    /**
     * An engine that serves nothing yet.
     *
     * @param onFailure is given the engine and the reason when it has failed, in the engine's thread
     */
    public RnicEngine(int index, EngineHost environment, BiConsumer<RnicEngine, String> onFailure) {
        this.index = index;
        this.environment = environment;
        this.buffers = environment.buffers(index);
        this.starving = new Starving(environment);
        this.onFailure = onFailure;
    }

    /** Number of this engine in its RNIC, from 0; the argument of {@link EngineHost#wake} and {@link EngineHost#streams}. */
    public int index() {
        return index;
    }

    /**
     * One duty cycle: commands, doorbells, deadlines, ready endpoints within their budgets. Only the thread that owns the
     * engine calls it, never from inside a turn.
     *
     * @return a measure of the work done, 0 when there was none
     */
    public int turn(long nowNs) {
        assert !inTurn : "a turn inside a turn";
        if (nothingToDo(nowNs)) {
            return 0; // without the fence of a turn, for most polls find nothing
        }
        inTurn = true;
        epoch.enter();
        try {
            return failed() ? workOn(nowNs) : work(nowNs);
        } catch (Throwable e) {
            if (failed()) {
                throw e;
            }
            fail(e);
            return 1;
        } finally {
            epoch.leave();
            inTurn = false;
        }
    }

    private boolean nothingToDo(long nowNs) {
        return !hasWork() && !deadlines.due(nowNs) && starving.isEmpty() && atTurnEnd == null && !failed();
    }

    private int work(long nowNs) {
        int work = runCommands();
        work += answerDoorbells();
        work += passDeadlines(nowNs);
        work += resumeWaiting();
        work += serveReady(nowNs);
        work += starving.feed(nowNs);
        endTurn(nowNs);
        return work;
    }

    /** A turn of a failed engine. */
    private int workOn(long nowNs) {
        int work = runCommands();
        work += answerDoorbells();
        endMembers();
        return work + starving.feed(nowNs);
    }

    /**
     * The loop that drives this engine has failed, or a turn has thrown. For the owner.
     *
     * @return whether turns make sense from now on, without streams
     */
    public boolean onFailure(Throwable cause) {
        if (failed()) {
            return false;
        }
        epoch.enter();
        try {
            fail(cause);
            return true;
        } finally {
            epoch.leave();
        }
    }

    /** Whether it has failed. Any thread. */
    public boolean failed() {
        return !failure.isEmpty();
    }

    private void fail(Throwable cause) {
        failure = "Engine " + index + " of the RNIC has failed: " + cause + ".";
        Log.bug("driving engine " + index, cause);
        endMembers();
        onFailure.accept(this, failure);
    }

    /** Ends all endpoints of a failed engine, and drops what waits. */
    private void endMembers() {
        for (int most = members.size(); most > 0 && !members.isEmpty(); most--) {
            Endpoint last = members.getLast();
            try {
                last.onBug(failure, environment.nowNs());
            } catch (Throwable e) {
                Log.bug("ending a connection of a failed engine", e);
            }
            leave(last);
        }
        while (ready.poll() != null) {}
        awaitingMemory.clear();
        memoryCame = false;
    }

    /** Whether a turn would find work now, apart from deadlines. Cheap. For the owner, which asks once more before it parks. */
    public boolean hasWork() {
        return ready.size() > 0 || rung();
    }

    /** Whether another thread has made work that no turn has found yet. Any thread. */
    public boolean rung() {
        return !doorbells.isEmpty() || !commands.isEmpty() || memoryCame;
    }

    /** When a turn is needed even if nothing happens; {@link Endpoint#NEVER} for never. For the owner. */
    public long nextDeadlineNs() {
        return Times.earlier(deadlines.next(), starving.nextNs());
    }

    /**
     * Rejects a thread that may not use this engine; see {@link EngineHost#checkCaller}. Precedes changes that a command
     * completes. Any thread.
     */
    public void checkCaller() {
        environment.checkCaller(index);
    }

    /**
     * Has the owner run a command in one of its next turns. Any thread. For control operations, not for the data path.
     *
     * @throws IllegalStateException as {@link #checkCaller} throws; the command is not run then
     */
    public void submit(Runnable command) {
        checkCaller();
        commands.add(command);
        environment.wake(index);
    }

    /** A hash of all state that determines the further behaviour of this engine. For the owner. */
    public long stateDigest() {
        long digest = Digest.mix(index, members.size());
        for (Endpoint member : members) {
            digest = Digest.mix(digest, member.stateDigest() + (member.ready ? 1 : 0));
        }
        digest = Digest.mix(digest, commands.size() * 2L + (doorbells.isEmpty() ? 0 : 1));
        digest = Digest.mix(digest, ready.size());
        return Digest.mix(Digest.mix(digest, starving.size()), nextDeadlineNs());
    }

    // What a turn does.

    private int runCommands() {
        int done = 0;
        while (done < COMMANDS_A_TURN) {
            Runnable command = commands.poll();
            if (command == null) {
                break;
            }
            try {
                command.run();
            } catch (Throwable e) {
                Log.bug("running a command", e);
            }
            done++;
        }
        return done;
    }

    private int answerDoorbells() {
        int answered = 0;
        DoorbellStack.@Nullable Bell bell = doorbells.takeAll();
        while (bell != null) {
            DoorbellStack.@Nullable Bell next = DoorbellStack.next(bell);
            Endpoint rung = (Endpoint) bell;
            try {
                rung.onDoorbell();
            } catch (Throwable e) {
                fail(rung, "answering a doorbell", e, environment.nowNs());
            }
            bell = next;
            answered++;
        }
        return answered;
    }

    /** Memory became available, or cannot become available: endpoints that wait for memory are served again. Any thread. */
    public void memoryCame() {
        memoryCame = true;
        environment.nudge(index);
    }

    private int resumeWaiting() {
        if (!memoryCame) {
            return 0;
        }
        // Cleared first: memory that becomes available from here on sets the flag again.
        memoryCame = false;
        int waiting = awaitingMemory.size();
        for (int i = 0; i < waiting; i++) {
            Endpoint endpoint = awaitingMemory.get(i);
            endpoint.awaitsMemory = false;
            ready(endpoint);
        }
        awaitingMemory.clear();
        return waiting;
    }

    /** The endpoint is served again when memory becomes available. */
    public void awaitMemory(Endpoint endpoint) {
        if (!endpoint.awaitsMemory) {
            endpoint.awaitsMemory = true;
            awaitingMemory.add(endpoint);
        }
    }

    private int passDeadlines(long nowNs) {
        int passed = 0;
        // Each endpoint at most once per turn: one that sets a deadline in the past waits for the next turn.
        for (int left = deadlines.size(); left > 0 && deadlines.due(nowNs); left--) {
            Endpoint endpoint = deadlines.first();
            deadlines.remove(endpoint);
            try {
                endpoint.onDeadline(nowNs);
            } catch (Throwable e) {
                fail(endpoint, "passing a deadline", e, nowNs);
            }
            ready(endpoint);
            passed++;
        }
        return passed;
    }

    private int serveReady(long nowNs) {
        int served = 0;
        // Endpoints that become ready during this loop are served in the next turn.
        for (int left = ready.size(); left > 0; left--) {
            Endpoint endpoint = ready.poll();
            if (endpoint == null) {
                break;
            }
            try {
                endpoint.service(nowNs);
            } catch (Throwable e) {
                fail(endpoint, "serving a connection", e, nowNs);
            }
            served++;
        }
        return served;
    }

    private void endTurn(long nowNs) {
        Endpoint last = atTurnEnd;
        if (last != null) {
            atTurnEnd = null;
            try {
                last.onTurnEnd();
            } catch (Throwable e) {
                fail(last, "ending a turn", e, nowNs);
            }
        }
    }

    /** Ends one endpoint after a bug; the others are not affected. */
    public static void fail(Endpoint endpoint, String where, Throwable e, long nowNs) {
        Log.bug(where, e);
        endpoint.onBug("An internal error ended the connection: " + e, nowNs);
    }

    // For endpoints.

    /**
     * Rings an endpoint's doorbell and wakes the engine if necessary. Any thread. The thread that drives the engine needs no
     * doorbell, whose four atomic operations would take 40 ns of an INLINE post.
     */
    public void ring(Endpoint endpoint) {
        boolean alone = environment.hold(index);
        boolean answered = alone && endpoint.onOwnDoorbell();
        if (answered || doorbells.ring(endpoint) || alone) {
            environment.wake(index);
        }
    }

    /** Has the endpoint served in this turn or the next one. */
    public void ready(Endpoint endpoint) {
        if (endpoint.memberIndex >= 0) {
            ready.add(endpoint);
        }
    }

    /** Has {@link Endpoint#onTurnEnd} called when the ready endpoints have been served. For one endpoint at a time. */
    public void atTurnEnd(Endpoint endpoint) {
        atTurnEnd = endpoint;
    }

    public void deadline(Endpoint endpoint, long deadlineNs) {
        if (endpoint.memberIndex >= 0) {
            deadlines.set(endpoint, deadlineNs);
        }
    }

    /** This engine serves the endpoint from now on. */
    public void join(Endpoint endpoint) {
        assert endpoint.memberIndex < 0;
        endpoint.memberIndex = members.size();
        members.add(endpoint);
    }

    /** This engine forgets the endpoint. If it is in the ready ring, it is served once more and does nothing. */
    public void leave(Endpoint endpoint) {
        int hole = endpoint.memberIndex;
        if (hole < 0) {
            return;
        }
        deadlines.remove(endpoint);
        endpoint.memberIndex = -1;
        Endpoint moved = members.removeLast();
        if (moved != endpoint) {
            members.set(hole, moved);
            moved.memberIndex = hole;
        }
    }

    /** Completions of the endpoint found no room in a CQ: it is asked to flush again later. */
    public void starve(Endpoint endpoint) {
        starving.add(endpoint);
    }

    /** Ends all endpoints. Called after the environment has stopped driving the engine. */
    public void shutDown(String sentence) {
        runCommands();
        long nowNs = environment.nowNs();
        for (Endpoint member : List.copyOf(members)) {
            try {
                member.onBug(sentence, nowNs);
            } catch (Throwable e) {
                Log.bug("ending a connection", e);
            }
        }
        starving.clear();
        awaitingMemory.clear();
        commands.clear();
    }

    public int members() {
        return members.size();
    }

    public StreamLoop streams() {
        return environment.streams(index);
    }

    public RandomSource random() {
        return environment.random();
    }

    public long nowNs() {
        return environment.nowNs();
    }

    public EngineEpoch epoch() {
        return epoch;
    }

    /** The transmit list, which endpoints fill one after the other. */
    public TransmitList transmitList() {
        return buffers.transmitList();
    }

    /** The slab for received bytes whose final address is not known yet. */
    public Slab receiveSlab() {
        return buffers.receiveSlab();
    }

    /** The packets that endpoints send, and those that they receive, one after the other. */
    public TurnBuffers buffers() {
        return buffers;
    }

    /** A slab of 0 bytes, in place of none. */
    public Slab noSlab() {
        return Slab.NONE;
    }

    public SlabPool pool() {
        return pool;
    }

    /**
     * Begins work on an endpoint in the thread that holds the engine ({@link EngineHost#hold}), outside of a turn: until {@link
     * #endPost}, checks of memory are valid as in a turn. Returns false within a turn, and if the engine has failed.
     */
    public boolean beginPost() {
        return !inTurn && !failed() && environment.beginPost(index) && beginArrival();
    }

    /** Ends what {@link #beginPost} began. */
    public void endPost() {
        endArrival();
        environment.endPost(index);
    }

    /**
     * Begins work on an endpoint for which something arrives while the owner polls the streams, outside of a turn.
     * Until {@link #endArrival}, checks of
     * memory are valid as in a turn. Returns false within a turn, and if the engine has failed.
     */
    public boolean beginArrival() {
        if (inTurn || failed()) {
            return false;
        }
        inTurn = true;
        epoch.enter();
        return true;
    }

    /** Ends what {@link #beginArrival} began. */
    public void endArrival() {
        epoch.leave();
        inTurn = false;
    }

    /** Whether this thread is inside a turn of this engine, where it must not wait. */
    public boolean insideOnThisThread() {
        return epoch.insideOnThisThread();
    }
}
