package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Atomic operations. */
final class AtomicCases {

    private AtomicCases() {}

    static final List<Case> ALL = List.of(
            of("fetch and add", "1 FETCH_AND_ADD SUCCESS 8 10 15", s -> {
                set(s, 10);
                s.connect();
                s.a.qp.postFetchAndAdd(1, s.a.memory, 0, s.b.memory.address(), s.b.memory.rkey(), 5, WrFlags.SIGNALLED);
                return s.a.takesBytes() + " " + word(s.a) + " " + word(s.b);
            }),
            of("compare and swap of an equal word", "1 COMPARE_AND_SWAP SUCCESS 10 99", s -> {
                set(s, 10);
                s.connect();
                s.a.qp.postCompareAndSwap(
                        1, s.a.memory, 0, s.b.memory.address(), s.b.memory.rkey(), 10, 99, WrFlags.SIGNALLED);
                return s.a.takes(1) + " " + word(s.a) + " " + word(s.b);
            }),
            of("compare and swap of another word", "1 COMPARE_AND_SWAP SUCCESS 10 10", s -> {
                set(s, 10);
                s.connect();
                s.a.qp.postCompareAndSwap(
                        1, s.a.memory, 0, s.b.memory.address(), s.b.memory.rkey(), 11, 99, WrFlags.SIGNALLED);
                return s.a.takes(1) + " " + word(s.a) + " " + word(s.b);
            }),
            of("an atomic at an address that is not a multiple of 8", "1 FETCH_AND_ADD REMOTE_OPERATION", s -> {
                return add(s, s.b.memory.address() + 4, s.b.memory.rkey());
            }),
            of("an atomic with an invalid key", "1 FETCH_AND_ADD REMOTE_ACCESS", s -> {
                return add(s, s.b.memory.address(), s.b.memory.rkey() + 1);
            }),
            of("an atomic beyond a region", "1 FETCH_AND_ADD REMOTE_ACCESS", s -> {
                return add(s, s.b.memory.address() + Side.BYTES, s.b.memory.rkey());
            }),
            of("an atomic without the right", "1 FETCH_AND_ADD REMOTE_ACCESS", s -> {
                MemoryRegion region =
                        s.b.pd.allocate(8, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
                return add(s, region.address(), region.rkey());
            }),
            of("an atomic whose result has no local right", "done", s -> {
                MemoryRegion region = s.a.pd.allocate(8, AccessRight.REMOTE_READ);
                s.connect();
                return attempt(() -> s.a.qp.postFetchAndAdd(
                        1, region, 0, s.b.memory.address(), s.b.memory.rkey(), 5, WrFlags.SIGNALLED));
            }),
            of("an atomic without outbound Reads", "1 FETCH_AND_ADD LOCAL_OPERATION", s -> {
                s.a.with(it -> it.withReads(1, 0));
                return add(s, s.b.memory.address(), s.b.memory.rkey());
            }),
            of("an atomic whose peer grants no inbound Reads", "1 FETCH_AND_ADD LOCAL_OPERATION", s -> {
                s.b.with(it -> it.withReads(0, 1));
                return add(s, s.b.memory.address(), s.b.memory.rkey());
            }),
            of(
                    "an inline atomic",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.postFetchAndAdd(
                            1,
                            s.a.memory,
                            0,
                            s.b.memory.address(),
                            s.b.memory.rkey(),
                            5,
                            WrFlags.SIGNALLED.withInline()))));

    private static void set(Scene s, long value) {
        s.b.memory.segment().set(ValueLayout.JAVA_LONG, 0, value);
    }

    private static long word(Side side) {
        return side.memory.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    private static String add(Scene s, long address, int rkey) throws Exception {
        s.connect();
        s.a.qp.postFetchAndAdd(1, s.a.memory, 0, address, rkey, 5, WrFlags.SIGNALLED);
        return s.a.takes(1);
    }
}
