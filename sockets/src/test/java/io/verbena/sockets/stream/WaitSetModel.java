package io.verbena.sockets.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A {@link WaitSet} with two members, whose threads are programs of steps that are taken in every order: one thread
 * waits, one signals each member, and one makes the condition true. Each step is a call of the set with one access to
 * what threads share. A course is replayed from its beginning; states that were seen are not continued. No wait has a
 * timeout, so nothing is repaired by time.
 */
final class WaitSetModel {

    /** Steps that can be left out or exchanged, to see that the exploration finds what they prevent. */
    enum Omission {
        LOOK_AFTER_ANNOUNCING,
        LOOK_AFTER_DEQUEUING,
        ANNOUNCE_BEFORE_EACH_LOOK,
        READY_BEFORE_SIGNAL,
        LIST_BEFORE_WAKE
    }

    /** What the thread does with the members that it has taken. */
    enum Program {
        /** Looks at them until they are not ready, then dequeues them: a selector. */
        LOOKS_THEN_DEQUEUES,

        /** Dequeues each, then looks at it: an event loop. */
        DEQUEUES_THEN_LOOKS
    }

    private static final int MEMBERS = 2;
    private static final int WAKER = MEMBERS;
    private static final int WAITER = MEMBERS + 1;
    private static final int THREADS = MEMBERS + 2;

    /** Number of times that something becomes ready, for each member. */
    private static final int[] SIGNALS = {2, 1};

    private enum Waits {
        TAKE,
        LOOK,
        DEQUEUE,
        LOOK_AGAIN,
        ANNOUNCE,
        LOOK_AT_LIST,
        SLEEP
    }

    private enum Signals {
        MAKE_READY,
        RAISE,
        PUSH,
        TAKE_SLEEP,
        WAKE,
        OVER
    }

    private final Program program;
    private final Set<Omission> omitted = EnumSet.noneOf(Omission.class);
    private final Set<String> seen = new HashSet<>();
    private final ArrayDeque<int[]> todo = new ArrayDeque<>();

    WaitSetModel(Program program, Omission... omitted) {
        this.program = program;
        this.omitted.addAll(Arrays.asList(omitted));
    }

    int states() {
        return seen.size();
    }

    /** What is wrong in a state in which no thread can take a step; empty if nothing is in any such state. */
    String fault() {
        todo.push(new int[0]);
        while (!todo.isEmpty()) {
            int[] course = todo.pop();
            boolean moved = false;
            for (int thread = 0; thread < THREADS; thread++) {
                moved |= follow(course, thread);
            }
            String wrong = moved ? "" : replay(course).wrong();
            if (!wrong.isEmpty()) {
                return wrong + Arrays.toString(course);
            }
        }
        return "";
    }

    private Run replay(int[] course) {
        Run run = new Run();
        for (int thread : course) {
            run.step(thread);
        }
        return run;
    }

    private boolean follow(int[] course, int thread) {
        Run run = replay(course);
        if (!run.step(thread)) {
            return false;
        }
        if (seen.add(run.toString())) {
            int[] longer = Arrays.copyOf(course, course.length + 1);
            longer[course.length] = thread;
            todo.push(longer);
        }
        return true;
    }

    private final class Run {
        private boolean woken;
        private final WaitSet<Integer> set = new WaitSet<>(() -> null, () -> woken, 0);
        private final List<WaitSet.Entry<Integer>> entries = List.of(new WaitSet.Entry<>(0), new WaitSet.Entry<>(1));
        private final int[] ready = new int[MEMBERS];
        private final int[] done = new int[MEMBERS];
        private final Signals[] signals = new Signals[MEMBERS + 1];
        private final List<WaitSet.Entry<Integer>> hot = new ArrayList<>();
        private Waits waits = Waits.TAKE;
        private int next;
        private boolean late;
        private boolean announced;
        private boolean permit;

        Run() {
            Arrays.fill(signals, Signals.MAKE_READY);
        }

        /** Returns whether the thread can take a step. */
        boolean step(int thread) {
            return thread == WAITER ? waitOneStep() : signal(thread);
        }

        // A thread that signals.

        private boolean signal(int thread) {
            boolean swapped = omitted.contains(Omission.READY_BEFORE_SIGNAL);
            switch (signals[thread]) {
                case MAKE_READY -> {
                    if (thread == WAKER) {
                        woken = true;
                        signals[thread] = Signals.TAKE_SLEEP;
                    } else if (swapped) {
                        raise(thread);
                    } else {
                        boolean rises = ready[thread]++ == 0;
                        signals[thread] = rises ? Signals.RAISE : nextSignal(thread);
                    }
                }
                case RAISE -> raise(thread);
                case PUSH -> {
                    set.push(entries.get(thread));
                    signals[thread] =
                            omitted.contains(Omission.LIST_BEFORE_WAKE) ? nextSignal(thread) : Signals.TAKE_SLEEP;
                }
                case TAKE_SLEEP -> signals[thread] = set.takeSleep() != null ? Signals.WAKE : afterWake(thread);
                case WAKE -> {
                    permit = true;
                    signals[thread] = afterWake(thread);
                }
                case OVER -> {
                    return false;
                }
            }
            return true;
        }

        private void raise(int thread) {
            boolean lists = entries.get(thread).raise();
            Signals wakes = omitted.contains(Omission.LIST_BEFORE_WAKE) ? Signals.TAKE_SLEEP : Signals.PUSH;
            signals[thread] = lists ? wakes : nextSignal(thread);
        }

        private Signals afterWake(int thread) {
            return thread != WAKER && omitted.contains(Omission.LIST_BEFORE_WAKE) ? Signals.PUSH : nextSignal(thread);
        }

        private Signals nextSignal(int thread) {
            if (thread == WAKER) {
                return Signals.OVER;
            }
            if (omitted.contains(Omission.READY_BEFORE_SIGNAL)) {
                ready[thread]++;
            }
            return ++done[thread] < SIGNALS[thread] ? Signals.MAKE_READY : Signals.OVER;
        }

        // The thread that waits.

        private boolean waitOneStep() {
            switch (waits) {
                case TAKE -> take();
                case LOOK -> look();
                case DEQUEUE -> {
                    late = hot.get(next).dequeue();
                    waits = Waits.LOOK_AGAIN;
                }
                case LOOK_AGAIN -> lookAgain();
                case ANNOUNCE -> {
                    if (!announced || !omitted.contains(Omission.ANNOUNCE_BEFORE_EACH_LOOK)) {
                        set.announce(() -> {}); // what it finds is looked at in the next step
                    }
                    announced = true;
                    waits = omitted.contains(Omission.LOOK_AFTER_ANNOUNCING) ? Waits.SLEEP : Waits.LOOK_AT_LIST;
                }
                case LOOK_AT_LIST -> waits = set.over() ? awake() : Waits.SLEEP;
                case SLEEP -> {
                    if (!permit) {
                        return false;
                    }
                    permit = false;
                    waits = Waits.ANNOUNCE;
                    if (omitted.contains(Omission.LOOK_AFTER_ANNOUNCING) && set.over()) {
                        waits = awake();
                    }
                }
            }
            return true;
        }

        private Waits awake() {
            set.awake();
            announced = false;
            return Waits.TAKE;
        }

        private void take() {
            woken = false;
            for (WaitSet.Entry<Integer> entry = set.takeAll(); entry != null; ) {
                WaitSet.Entry<Integer> after = entry.unlink();
                entry.takeSignal();
                hot.add(entry);
                entry = after;
            }
            next = 0;
            waits = hot.isEmpty()
                    ? Waits.ANNOUNCE
                    : program == Program.LOOKS_THEN_DEQUEUES ? Waits.LOOK : Waits.DEQUEUE;
        }

        /** Serves one that is ready and looks at all of them again, or dequeues all. */
        private void look() {
            waits = Waits.DEQUEUE;
            for (WaitSet.Entry<Integer> entry : hot) {
                entry.takeSignal();
                if (ready[entry.member()] > 0) {
                    ready[entry.member()]--;
                    waits = Waits.TAKE;
                    return;
                }
            }
        }

        private void lookAgain() {
            WaitSet.Entry<Integer> entry = hot.get(next);
            int member = entry.member();
            boolean again = late || ready[member] > 0;
            if (again && !omitted.contains(Omission.LOOK_AFTER_DEQUEUING)) {
                if (program == Program.DEQUEUES_THEN_LOOKS && ready[member] > 0) {
                    ready[member]--;
                }
                if (program == Program.LOOKS_THEN_DEQUEUES || ready[member] > 0) {
                    set.signal(entry);
                }
            }
            next++;
            if (next < hot.size()) {
                waits = Waits.DEQUEUE;
            } else {
                hot.clear();
                waits = program == Program.DEQUEUES_THEN_LOOKS && !set.isEmpty() ? Waits.TAKE : Waits.ANNOUNCE;
            }
        }

        String wrong() {
            boolean lost = woken || ready[0] > 0 || ready[1] > 0;
            return lost ? "asleep with work: " + this + " " : "";
        }

        @Override
        public String toString() {
            return set
                    + Arrays.toString(ready)
                    + Arrays.toString(done)
                    + Arrays.toString(signals)
                    + hot
                    + entries
                    + waits
                    + next
                    + late
                    + announced
                    + permit
                    + woken;
        }
    }
}
