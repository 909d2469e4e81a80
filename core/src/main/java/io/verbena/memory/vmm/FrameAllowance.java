package io.verbena.memory.vmm;

/** The frames that one process may have, and has. Guarded by the lock of the VMM. */
final class FrameAllowance {

    private final int most;
    private int used;

    FrameAllowance(int most) {
        this.most = most;
    }

    /** Pages of the process enter frames, or leave them if negative. */
    void use(int change) {
        used += change;
    }

    int used() {
        return used;
    }

    /** Whether the next page needs a frame that another page of the process leaves first. */
    boolean exhausted() {
        return used >= most;
    }
}
