package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.util.List;
import java.util.Set;

/** Remote keys: accesses of a peer with wrong keys, ranges, rights and domains. */
final class KeyCases {

    private KeyCases() {}

    static final List<Case> ALL = List.of(
            of("Write within a region", "1 WRITE SUCCESS", s -> {
                s.connect();
                s.a.qp.postWrite(1, s.a.memory, 0, 8, s.b.memory.remote(), 8, WrFlags.SIGNALLED);
                return s.a.takes(1);
            }),
            of("Read within a region", "1 READ SUCCESS", s -> {
                s.connect();
                s.a.qp.postRead(1, s.a.memory, 0, 8, s.b.memory.remote(), 8, WrFlags.SIGNALLED);
                return s.a.takes(1);
            }),
            of("Read of no bytes", "1 READ SUCCESS 0", s -> {
                s.connect();
                s.a.qp.postRead(1, s.a.memory, 0, 0, s.b.memory.remote(), 8, WrFlags.SIGNALLED);
                return s.a.takesBytes();
            }),
            of("Write of no bytes with an invalid key", "1 WRITE SUCCESS, 2 WRITE SUCCESS", s -> {
                s.connect();
                s.a.qp.postWrite(1, s.a.memory, 0, 0, 5, 5, WrFlags.SIGNALLED);
                s.a.qp.postWrite(2, s.a.memory, 0, 8, s.b.memory.remote(), 8, WrFlags.SIGNALLED);
                return s.a.takes(2);
            }),
            of("Read of no bytes with an invalid key", "1 READ SUCCESS", s -> {
                return read(s, 5, 5, 0);
            }),
            of("Read with an invalid key", "1 READ REMOTE_ACCESS", s -> {
                return read(s, s.b.memory.address(), s.b.memory.rkey() + 1, 8);
            }),
            of("Read beyond a region", "1 READ REMOTE_ACCESS", s -> {
                return read(s, s.b.memory.address() + Side.BYTES - 4, s.b.memory.rkey(), 8);
            }),
            of("Read before a region", "1 READ REMOTE_ACCESS", s -> {
                return read(s, s.b.memory.address() - 4, s.b.memory.rkey(), 8);
            }),
            of("Read at an address that wraps", "1 READ REMOTE_ACCESS", s -> {
                return read(s, -4, s.b.memory.rkey(), 8);
            }),
            of("Read without the right", "1 READ REMOTE_ACCESS", s -> {
                MemoryRegion region = s.b.pd.allocate(8, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                return read(s, region.address(), region.rkey(), 8);
            }),
            of("Read with a key of another domain", "1 READ REMOTE_ACCESS", s -> {
                MemoryRegion region = s.b.rnic.allocateProtectionDomain().allocate(8, AccessRight.REMOTE_READ);
                return read(s, region.address(), region.rkey(), 8);
            }),
            of("Read with the key of a closed region", "1 READ REMOTE_ACCESS", s -> {
                MemoryRegion region = s.b.pd.allocate(8, AccessRight.REMOTE_READ);
                RemoteRegion remote = region.remote();
                region.close();
                return read(s, remote.address(), remote.rkey(), 8);
            }),
            of("Read with the former key of a region", "1 READ REMOTE_ACCESS", s -> {
                int old = s.b.memory.rkey();
                s.b.memory.renewKey();
                return read(s, s.b.memory.address(), old, 8);
            }),
            of("Read into a region that does not permit local writes", "done", s -> {
                s.connect();
                MemoryRegion region = s.a.pd.allocate(8, AccessRight.REMOTE_READ);
                return attempt(() -> s.a.qp.postRead(1, region, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED));
            }),
            of(
                    "the other work after a refused Read",
                    "1 READ REMOTE_ACCESS, 2 READ FLUSHED, 7 RECEIVE FLUSHED; peer 9 RECEIVE FLUSHED; FAILED and FAILED",
                    s -> {
                        s.connect();
                        s.a.receive(7, 8);
                        s.b.receive(9, 8);
                        s.a.qp.startBatch();
                        s.a.qp.postRead(1, s.a.memory, 0, 8, 5, 5, WrFlags.SIGNALLED);
                        s.a.qp.postRead(2, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED.withFence());
                        s.a.qp.ringDoorbell();
                        return s.a.takes(3) + "; peer " + s.b.takes(1) + "; " + s.ends();
                    }),
            of("Write with an invalid key", "1 WRITE SUCCESS", s -> {
                return write(s, s.b.memory.address(), s.b.memory.rkey() + 1);
            }),
            of("Write beyond a region", "1 WRITE SUCCESS", s -> {
                return write(s, s.b.memory.address() + Side.BYTES - 4, s.b.memory.rkey());
            }),
            of("Write without the right", "1 WRITE SUCCESS", s -> {
                MemoryRegion region = s.b.pd.allocate(8, AccessRight.REMOTE_READ);
                return write(s, region.address(), region.rkey());
            }),
            of("the ends after a refused Write", "9 RECEIVE FLUSHED; FAILED and FAILED", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.qp.postWrite(1, s.a.memory, 0, 8, 5, 5, WrFlags.UNSIGNALLED);
                return s.b.takes(1) + "; " + s.ends();
            }),
            of("Write after the rights of the queue pair were restricted", "FAILED and FAILED", s -> {
                s.connect();
                s.b.qp.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
                s.a.qp.postWrite(1, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.UNSIGNALLED);
                return s.ends();
            }),
            of("Read after the rights of the queue pair were restricted", "1 READ REMOTE_ACCESS", s -> {
                s.b.qp.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_WRITE)));
                return read(s, s.b.memory.address(), s.b.memory.rkey(), 8);
            }));

    private static String read(Scene s, long address, int rkey, int length) throws Exception {
        s.connect();
        s.a.qp.postRead(1, s.a.memory, 0, length, address, rkey, WrFlags.SIGNALLED);
        return s.a.takes(1);
    }

    private static String write(Scene s, long address, int rkey) throws Exception {
        s.connect();
        s.a.qp.postWrite(1, s.a.memory, 0, 8, address, rkey, WrFlags.SIGNALLED);
        return s.a.takes(1);
    }
}
