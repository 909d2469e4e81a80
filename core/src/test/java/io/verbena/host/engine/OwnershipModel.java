package io.verbena.host.engine;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The protocol of {@link EngineOwnership} as a model: an engine thread, a borrower that comes several times, to wait and at last to poll, ringers
 * and a thread that wakes the borrower, each a program of atomic steps, in every order. Waits have no timeout, so nothing is repaired by time, except
 * that the watch of the engine thread can be modelled with its period.
 */
final class OwnershipModel {

    /** Steps that can be left out, to see that the exploration finds what they prevent. */
    enum Omission {
        ENGINE_CHECKS_WORK_BEFORE_SLEEP,
        ENGINE_CHECKS_CLAIM_BEFORE_SLEEP,
        ENGINE_CHECKS_WORK_AFTER_LENDING,
        ENGINE_CHECKS_REQUEST_BEFORE_SLEEP,
        CLAIM_WAKES_ENGINE,
        REQUEST_WAKES_ENGINE,
        BORROWER_CHECKS_WORK_BEFORE_SLEEP,
        BORROWER_CHECKS_WAKEUP_BEFORE_SLEEP,
        BORROWER_CHECKS_WORK_AFTER_RETURN,
        RINGER_CALLS_ENGINE,
        CALL_IS_CLEARED_BEFORE_OWNER_IS_READ,
        ENGINE_CHECKS_OWNER_BEFORE_REST,
        BORROWER_ENDS_REST
    }

    private static final int FREE = 0;
    private static final int ENGINE = 1;
    private static final int BORROWED = 2;

    /** Places in a state. */
    private static final int OWNER = 0;

    private static final int WORK = 1;
    private static final int ASLEEP = 2;
    private static final int CLAIMED = 3;
    private static final int CALLED = 4;
    private static final int RESTING = 5;

    /** The selector keeps a wakeup; the engine thread has a permit to leave its park. */
    private static final int TOKEN = 6;

    private static final int PERMIT = 7;
    private static final int WOKEN = 8;
    private static final int COMINGS = 9;
    private static final int ASKED = 10;
    private static final int E = 11;
    private static final int B = 12;
    private static final int R = 13; // two of them
    private static final int W = 15;
    private static final int PLACES = 16;
    private static final int BITS = 5;

    /**
     * An odd factor, which keeps keys apart and mixes their places: the hash of a {@code Long} is the exclusive or of its halves, which
     * is the same for thousands of states.
     */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    // Steps of the engine thread.
    private static final int E_ROUND = 0;
    private static final int E_CLAIMED = 1;
    private static final int E_FALL_ASLEEP = 2;
    private static final int E_CHECK = 3;
    private static final int E_SELECT = 4;
    private static final int E_AWAKE = 5;
    private static final int E_LEND = 6;
    private static final int E_CHECK_LENT = 7;
    private static final int E_RETAKE = 8;
    private static final int E_CALLED = 9;
    private static final int E_TAKE = 10;
    private static final int E_WATCH = 11;
    private static final int E_REST = 12;
    private static final int E_CHECK_REST = 13;
    private static final int E_RESTS = 14;
    private static final int E_RESTED = 15;
    private static final int E_CLEAR_LATE = 16;
    private static final int E_PERIOD = 17;
    private static final int E_RELEASE = 18;

    // Steps of the borrower.
    private static final int B_CLAIM = 0;
    private static final int B_TRY = 1;
    private static final int B_RING = 2;
    private static final int B_RING_WAKE = 3;
    private static final int B_AWAIT = 4;
    private static final int B_ROUND = 5;
    private static final int B_FALL_ASLEEP = 6;
    private static final int B_CHECK = 7;
    private static final int B_SELECT = 8;
    private static final int B_AWAKE = 9;
    private static final int B_GIVE_BACK = 10;
    private static final int B_CHECK_LEFT = 11;
    private static final int B_RETAKE = 12;
    private static final int B_CALL = 13;
    private static final int B_CALL_UNPARK = 14;
    private static final int B_END_REST = 15;
    private static final int B_END_REST_UNPARK = 16;
    private static final int B_UNCLAIM = 17;
    private static final int B_TURN = 18;
    private static final int B_GONE = 19;
    private static final int B_LOOK = 20;
    private static final int B_ASK = 21;
    private static final int B_ASK_RING = 22;
    private static final int B_ASK_WAKE = 23;

    // Steps of ringers and of the waker.
    private static final int R_WRITE = 0;
    private static final int R_ASLEEP = 1;
    private static final int R_CAS = 2;
    private static final int R_WAKE = 3;
    private static final int R_OWNER = 4;
    private static final int R_CALL = 5;
    private static final int R_UNPARK = 6;
    private static final int R_DONE = 7;
    private static final int W_WRITE = 0;
    private static final int W_OWNER = 1;
    private static final int W_CAS = 2;
    private static final int W_WAKE = 3;
    private static final int W_DONE = 4;

    private final Set<Omission> omitted;
    private final boolean timed;
    private final Set<Long> seen = new HashSet<>();
    private final ArrayDeque<int[]> todo = new ArrayDeque<>();
    private String fault = "";

    private boolean moved;

    OwnershipModel(boolean timed, Omission... omitted) {
        this.timed = timed;
        this.omitted = EnumSet.noneOf(Omission.class);
        this.omitted.addAll(Arrays.asList(omitted));
    }

    int states() {
        return seen.size();
    }

    /**
     * What is wrong in a state in which no thread can take a step; empty if nothing is in any such state.
     *
     * @param ringers one or two
     * @param comings how often the borrower comes, 1 to 3 times
     * @param waker whether a thread ends the wait of the borrower
     */
    String fault(int ringers, int comings, boolean waker) {
        int[] first = new int[PLACES];
        first[OWNER] = ENGINE;
        first[COMINGS] = comings;
        first[W] = waker ? W_WRITE : W_DONE;
        first[R + 1] = ringers == 1 ? R_DONE : R_WRITE;
        visit(first);
        while (!todo.isEmpty() && fault.isEmpty()) {
            int[] state = todo.pop();
            moved = false;
            engine(state);
            borrower(state);
            ringer(state, R);
            ringer(state, R + 1);
            waker(state);
            if (!moved) {
                check(state);
            }
        }
        return fault;
    }

    private void check(int[] s) {
        if (s[WORK] == 1) {
            fault = "lost doorbell: " + Arrays.toString(s);
        }
        if (s[B] == B_AWAIT) {
            fault = "lost claim: " + Arrays.toString(s);
        }
        if (s[B] == B_LOOK) {
            fault = "lost request: " + Arrays.toString(s);
        }
        if (s[B] == B_SELECT && s[WOKEN] == 1) {
            fault = "lost wakeup: " + Arrays.toString(s);
        }
        if (s[E] == E_RESTS && s[OWNER] != BORROWED) {
            fault = "rest without a borrower: " + Arrays.toString(s);
        }
    }

    private void visit(int[] state) {
        moved = true;
        long key = 0;
        for (int place = 0; place < PLACES; place++) {
            key = key << (place < E ? 2 : BITS) | state[place];
        }
        if (seen.add(key * SPREAD)) {
            todo.push(state);
        }
    }

    /** A state that follows: a copy with a new step of one thread and further changes. */
    private void go(int[] from, int thread, int step, Consumer<int[]> change) {
        int[] state = from.clone();
        state[thread] = step;
        change.accept(state);
        visit(state);
    }

    private void go(int[] from, int thread, int step) {
        go(from, thread, step, s -> {});
    }

    private void set(int[] from, int thread, int step, int place, int value) {
        go(from, thread, step, s -> s[place] = value);
    }

    private boolean does(Omission step) {
        return !omitted.contains(step);
    }

    /** Takes the free engine, or goes to another step. */
    private void take(int[] s, int thread, int owner, int taken, int otherwise) {
        if (s[OWNER] == FREE) {
            set(s, thread, taken, OWNER, owner);
        } else {
            go(s, thread, otherwise);
        }
    }

    private void engine(int[] s) {
        switch (s[E]) {
            case E_ROUND -> set(s, E, E_CLAIMED, WORK, 0);
            case E_CLAIMED -> go(s, E, s[CLAIMED] == 1 || s[ASKED] == 1 ? E_LEND : E_FALL_ASLEEP);
            case E_FALL_ASLEEP -> set(s, E, E_CHECK, ASLEEP, 1);
            case E_CHECK -> {
                boolean work = s[WORK] == 1 && does(Omission.ENGINE_CHECKS_WORK_BEFORE_SLEEP);
                boolean claim = s[CLAIMED] == 1 && does(Omission.ENGINE_CHECKS_CLAIM_BEFORE_SLEEP);
                boolean request = s[ASKED] == 1 && does(Omission.ENGINE_CHECKS_REQUEST_BEFORE_SLEEP);
                go(s, E, work || claim || request ? E_AWAKE : E_SELECT);
            }
            case E_SELECT -> {
                if (s[TOKEN] == 1) {
                    set(s, E, E_AWAKE, TOKEN, 0);
                }
            }
            case E_AWAKE -> set(s, E, E_ROUND, ASLEEP, 0);
            case E_LEND -> set(s, E, E_RELEASE, ASKED, 0);
            case E_RELEASE ->
                set(s, E, does(Omission.ENGINE_CHECKS_WORK_AFTER_LENDING) ? E_CHECK_LENT : E_CALLED, OWNER, FREE);
            case E_CHECK_LENT -> go(s, E, s[WORK] == 1 ? E_RETAKE : E_CALLED);
            case E_RETAKE -> take(s, E, ENGINE, E_ROUND, E_CALLED);
            default -> aside(s);
        }
    }

    private void aside(int[] s) {
        switch (s[E]) {
            case E_CALLED -> {
                if (!does(Omission.CALL_IS_CLEARED_BEFORE_OWNER_IS_READ)) {
                    go(s, E, s[CALLED] == 1 ? E_TAKE : E_WATCH);
                } else {
                    set(s, E, s[CALLED] == 1 ? E_TAKE : E_WATCH, CALLED, 0);
                }
            }
            case E_TAKE ->
                take(
                        s,
                        E,
                        ENGINE,
                        E_ROUND,
                        does(Omission.CALL_IS_CLEARED_BEFORE_OWNER_IS_READ) ? E_WATCH : E_CLEAR_LATE);
            case E_CLEAR_LATE -> set(s, E, E_WATCH, CALLED, 0);
            case E_WATCH -> {
                if (s[PERMIT] == 1) {
                    set(s, E, E_CALLED, PERMIT, 0);
                } else if (timed) {
                    go(s, E, E_PERIOD);
                }
                go(s, E, E_REST);
            }
            case E_PERIOD -> take(s, E, ENGINE, E_ROUND, E_CALLED);
            case E_REST ->
                set(s, E, does(Omission.ENGINE_CHECKS_OWNER_BEFORE_REST) ? E_CHECK_REST : E_RESTS, RESTING, 1);
            case E_CHECK_REST -> {
                if (s[OWNER] == BORROWED) {
                    go(s, E, E_RESTS);
                } else if (timed || s[PERMIT] == 1) {
                    set(s, E, E_CALLED, RESTING, 0);
                }
            }
            case E_RESTS -> {
                if (s[PERMIT] == 1) {
                    set(s, E, E_RESTED, PERMIT, 0);
                }
            }
            case E_RESTED -> set(s, E, E_CALLED, RESTING, 0);
            default -> throw new AssertionError(s[E]);
        }
    }

    private void borrower(int[] s) {
        switch (s[B]) {
            case B_CLAIM -> set(s, B, B_TRY, CLAIMED, 1);
            case B_TRY -> take(s, B, BORROWED, B_ROUND, does(Omission.CLAIM_WAKES_ENGINE) ? B_RING : B_AWAIT);
            case B_RING -> {
                if (s[ASLEEP] == 1) {
                    set(s, B, B_RING_WAKE, ASLEEP, 0);
                } else {
                    go(s, B, B_AWAIT);
                }
            }
            case B_RING_WAKE -> set(s, B, B_AWAIT, TOKEN, 1);
            case B_AWAIT -> {
                if (s[OWNER] == FREE) {
                    set(s, B, B_ROUND, OWNER, BORROWED);
                }
            }
            case B_ROUND -> {
                set(s, B, B_GIVE_BACK, WORK, 0);
                if (s[WOKEN] == 0) {
                    set(s, B, B_FALL_ASLEEP, WORK, 0);
                }
            }
            case B_FALL_ASLEEP -> set(s, B, B_CHECK, ASLEEP, 1);
            case B_CHECK -> {
                boolean work = s[WORK] == 1 && does(Omission.BORROWER_CHECKS_WORK_BEFORE_SLEEP);
                boolean woken = s[WOKEN] == 1 && does(Omission.BORROWER_CHECKS_WAKEUP_BEFORE_SLEEP);
                go(s, B, work || woken ? B_AWAKE : B_SELECT);
            }
            case B_SELECT -> {
                if (s[TOKEN] == 1) {
                    set(s, B, B_AWAKE, TOKEN, 0);
                }
            }
            case B_AWAKE -> set(s, B, B_ROUND, ASLEEP, 0);
            default -> leaving(s);
        }
    }

    private void leaving(int[] s) {
        switch (s[B]) {
            case B_GIVE_BACK -> set(s, B, B_CHECK_LEFT, OWNER, FREE);
            case B_CHECK_LEFT -> {
                boolean work = s[WORK] == 1 && does(Omission.BORROWER_CHECKS_WORK_AFTER_RETURN);
                go(s, B, work ? B_RETAKE : B_END_REST);
                if (work) {
                    go(s, B, B_CALL); // it has tried often enough
                }
            }
            case B_RETAKE -> take(s, B, BORROWED, B_TURN, B_END_REST);
            case B_TURN -> set(s, B, B_GIVE_BACK, WORK, 0);
            case B_CALL -> set(s, B, s[CALLED] == 1 ? B_END_REST : B_CALL_UNPARK, CALLED, 1);
            case B_CALL_UNPARK -> set(s, B, B_END_REST, PERMIT, 1);
            case B_END_REST -> {
                if (s[RESTING] == 1 && does(Omission.BORROWER_ENDS_REST)) {
                    set(s, B, B_END_REST_UNPARK, RESTING, 0);
                } else {
                    go(s, B, B_UNCLAIM);
                }
            }
            case B_END_REST_UNPARK -> set(s, B, B_UNCLAIM, PERMIT, 1);
            case B_UNCLAIM ->
                go(s, B, next(s), after -> {
                    after[CLAIMED] = 0;
                    after[COMINGS]--;
                });
            case B_GONE -> {}
            default -> looking(s);
        }
    }

    /** What follows: another wait, the poll, which is the last coming, or nothing. */
    private static int next(int[] s) {
        return switch (s[COMINGS]) {
            case 1 -> B_GONE;
            case 2 -> B_LOOK;
            default -> B_CLAIM;
        };
    }

    /** Polls until it has the engine. A poll that changes nothing is no step. */
    private void looking(int[] s) {
        switch (s[B]) {
            case B_LOOK -> {
                if (s[OWNER] == FREE) {
                    set(s, B, B_TURN, OWNER, BORROWED);
                } else if (s[ASKED] == 0) {
                    go(s, B, B_ASK);
                }
            }
            case B_ASK -> set(s, B, does(Omission.REQUEST_WAKES_ENGINE) ? B_ASK_RING : B_LOOK, ASKED, 1);
            case B_ASK_RING -> {
                if (s[ASLEEP] == 1) {
                    set(s, B, B_ASK_WAKE, ASLEEP, 0);
                } else {
                    go(s, B, B_LOOK);
                }
            }
            case B_ASK_WAKE -> set(s, B, B_LOOK, TOKEN, 1);
            default -> throw new AssertionError(s[B]);
        }
    }

    private void ringer(int[] s, int me) {
        switch (s[me]) {
            case R_WRITE -> set(s, me, R_ASLEEP, WORK, 1);
            case R_ASLEEP -> go(s, me, s[ASLEEP] == 1 ? R_CAS : R_OWNER);
            case R_CAS -> {
                if (s[ASLEEP] == 1) {
                    set(s, me, R_WAKE, ASLEEP, 0);
                } else {
                    go(s, me, R_OWNER);
                }
            }
            case R_WAKE -> set(s, me, R_DONE, TOKEN, 1);
            case R_OWNER -> go(s, me, s[OWNER] == FREE && does(Omission.RINGER_CALLS_ENGINE) ? R_CALL : R_DONE);
            case R_CALL -> set(s, me, s[CALLED] == 1 ? R_DONE : R_UNPARK, CALLED, 1);
            case R_UNPARK -> set(s, me, R_DONE, PERMIT, 1);
            default -> {}
        }
    }

    private void waker(int[] s) {
        switch (s[W]) {
            case W_WRITE -> set(s, W, W_OWNER, WOKEN, 1);
            case W_OWNER -> go(s, W, s[OWNER] == BORROWED ? W_CAS : W_DONE);
            case W_CAS -> {
                if (s[ASLEEP] == 1) {
                    set(s, W, W_WAKE, ASLEEP, 0);
                } else {
                    go(s, W, W_DONE);
                }
            }
            case W_WAKE -> set(s, W, W_DONE, TOKEN, 1);
            default -> {}
        }
    }
}
