package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;

/** Registered memory: allocation, registration, lengths, rights and ends. */
final class MemoryCases {

    private MemoryCases() {}

    static final List<Case> ALL = List.of(
            of("allocate 0 bytes", "IllegalArgumentException", s -> attempt(() -> s.a.pd.allocate(0))),
            of(
                    "allocate a negative number of bytes",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.allocate(-1))),
            of(
                    "allocate with remote write and without local write",
                    "done",
                    s -> attempt(() -> s.a.pd.allocate(8, AccessRight.REMOTE_WRITE))),
            of(
                    "register a segment of the heap",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.register(MemorySegment.ofArray(new byte[8])))),
            of(
                    "register an empty segment",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.register(MemorySegment.NULL))),
            of(
                    "register a read-only segment for local writes",
                    "IllegalArgumentException",
                    s -> attempt(
                            () -> s.a.pd.register(Arena.ofAuto().allocate(8).asReadOnly(), AccessRight.LOCAL_WRITE))),
            of("register a segment of a closed arena", "IllegalArgumentException", s -> {
                Arena arena = Arena.ofShared();
                MemorySegment segment = arena.allocate(8);
                arena.close();
                return attempt(() -> s.a.pd.register(segment));
            }),
            of(
                    "map a file that does not exist",
                    "IOException",
                    s -> attempt(() -> s.a.pd.map(Path.of("no-such-file"), 0, 8))),
            of(
                    "map from a negative offset",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.pd.map(Path.of("pom.xml"), -1, 8))),
            of(
                    "the length of a region",
                    "100",
                    s -> answer(() -> s.a.pd.allocate(100).length())),
            of(
                    "the rights of a region",
                    "[REMOTE_READ]",
                    s -> answer(
                            () -> s.a.pd.allocate(8, AccessRight.REMOTE_READ).rights())),
            of(
                    "a slice beyond a remote region",
                    "IndexOutOfBoundsException",
                    s -> attempt(() -> s.a.memory.remote(0, Side.BYTES + 1))),
            of(
                    "close a region twice",
                    "done",
                    s -> attempt(() -> {
                        MemoryRegion region = s.a.pd.allocate(8);
                        region.close();
                        region.close();
                    })),
            of("a closed region is valid", "false", s -> {
                MemoryRegion region = s.a.pd.allocate(8);
                region.close();
                return answer(region::valid);
            }),
            of("the segment of a closed region", "done", s -> {
                MemoryRegion region = s.a.pd.allocate(8);
                region.close();
                return attempt(() -> region.segment().get(ValueLayout.JAVA_BYTE, 0));
            }),
            of("renew the key of a closed region", "IllegalStateException", s -> {
                MemoryRegion region = s.a.pd.allocate(8);
                region.close();
                return attempt(region::renewKey);
            }),
            of("a renewed key is another one", "true", s -> {
                int old = s.a.memory.rkey();
                return answer(() -> s.a.memory.renewKey() != old && s.a.memory.rkey() != old);
            }),
            of("close a protection domain with a region", "IllegalStateException", s -> {
                ProtectionDomain pd = s.a.rnic.allocateProtectionDomain();
                pd.allocate(8);
                return attempt(pd::close);
            }),
            of("close a protection domain with a window", "IllegalStateException", s -> {
                ProtectionDomain pd = s.a.rnic.allocateProtectionDomain();
                pd.allocateWindow();
                return attempt(pd::close);
            }),
            of("close a protection domain with a queue pair", "IllegalStateException", s -> {
                ProtectionDomain pd = s.a.rnic.allocateProtectionDomain();
                QueuePair qp = pd.createQueuePair(s.a.cq);
                String outcome = attempt(pd::close);
                qp.close();
                return outcome;
            }),
            of("close an empty protection domain twice", "done", s -> {
                ProtectionDomain pd = s.a.rnic.allocateProtectionDomain();
                return attempt(() -> {
                    pd.close();
                    pd.close();
                });
            }),
            of("allocate in a closed protection domain", "IllegalStateException", s -> {
                ProtectionDomain pd = s.a.rnic.allocateProtectionDomain();
                pd.close();
                return attempt(() -> pd.allocate(8));
            }));
}
