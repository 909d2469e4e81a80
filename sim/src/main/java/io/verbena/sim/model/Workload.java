package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.WrFlags;
import java.util.Optional;

/** What one side's program posts: how much, when, with which flags. What exactly is {@link OperationMaker}'s choice. */
final class Workload {

    private static final int MOST_AT_ONCE = 8;

    private final Side side;
    private final SimRandom random;
    private final OperationMaker maker;
    private final Task task;
    private int left;
    private int unsignalled;
    private Optional<Mistake> mistake = Optional.empty();
    private int mistakeAt;
    private int doomAt = Integer.MAX_VALUE;

    Workload(Side side) {
        this.side = side;
        this.random = side.random();
        this.maker = new OperationMaker(side);
        this.task = side.task();
        this.left = task.quota();
    }

    /** Somewhere in its work the program will make this mistake. */
    void mistake(Mistake planned) {
        mistake = Optional.of(planned);
        if (planned == Mistake.SEND_WITHOUT_RECEIVE) {
            side.starveReceiver();
        }
        mistakeAt = 1 + random.nextInt(task.quota());
    }

    /** Selects a point in the work at which a region is closed. */
    void doom() {
        doomAt = random.nextInt(task.quota());
    }

    /** Posts some work, if some is left and there is space for it. */
    void act() {
        if (left == 0 || random.oneIn(3)) {
            return;
        }
        boolean batch = random.oneIn(3);
        int free = side.sends().free();
        if (free == 0 && !batch && random.oneIn(4)) {
            side.sends().postBeyond();
        }
        int most = Math.min(Math.min(free, left), 1 + random.nextInt(MOST_AT_ONCE));
        if (batch) {
            side.queuePair().startBatch();
        }
        for (int i = 0; i < most && side.sendRoom().room(); i++) {
            postOne();
        }
        if (batch) {
            side.queuePair().ringDoorbell();
        }
    }

    private void postOne() {
        if (mistake.isPresent() && task.quota() - left >= mistakeAt) {
            Optional<Operation> wrong = Mistakes.make(side, mistake.get());
            if (wrong.isPresent()) {
                side.conversation().mistake(side, mistake.get());
                mistake = Optional.empty();
                take();
                wrong.get().flags = WrFlags.SIGNALLED;
                side.sends().post(wrong.get());
                return;
            }
        }
        if (task.quota() - left >= doomAt) {
            Optional<Operation> doomed = Doom.make(side);
            if (doomed.isPresent()) {
                doomAt = random.oneIn(2) ? Integer.MAX_VALUE : doomAt + 1;
                take();
                doomed.get().flags = WrFlags.SIGNALLED;
                side.sends().post(doomed.get());
                return;
            }
        }
        // An initiator must send a message first, because otherwise the other side may never send.
        boolean firstWords = side.initiates() && left == task.quota();
        Operation operation = firstWords ? maker.message() : maker.any();
        take();
        operation.flags = flags(operation);
        side.sends().post(operation);
    }

    private void take() {
        if (--left == 0) {
            side.finish();
        }
    }

    private WrFlags flags(Operation operation) {
        // Without an occasional completion the progress would be unknown.
        boolean must = left == 0
                || side.sendRoom().left() <= 1
                || unsignalled >= Math.min(6, side.options().sendDepth() / 2);
        boolean signalled = must || task.signalsAll() || random.oneIn(2);
        unsignalled = signalled ? 0 : unsignalled + 1;
        WrFlags flags = signalled ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
        if (operation.flags.fenced() || random.oneIn(8)) {
            flags = flags.withFence();
        }
        if (operation.flags.solicited()) {
            flags = flags.withSolicited();
        }
        if (operation.flags.inline()) {
            flags = flags.withInline();
        }
        return random.oneIn(10) ? flags.withNotify() : flags;
    }

    /** Posts to a connection that has ended: the request is accepted and flushed. */
    void postLate() {
        if (random.oneIn(2)) {
            return;
        }
        for (int i = random.nextInt(3);
                i > 0 && side.sends().free() > 0 && side.sendRoom().room();
                i--) {
            Operation operation = maker.message();
            operation.flags = WrFlags.SIGNALLED;
            operation.late = true;
            side.sends().post(operation);
        }
        if (side.receives() instanceof OwnReceives own) {
            own.post();
        }
    }
}
