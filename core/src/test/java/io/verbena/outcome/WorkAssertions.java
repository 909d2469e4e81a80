package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;

/** Work: the operations of reliable connections, atomics, posting. */
final class WorkAssertions {

    private WorkAssertions() {}

    static final List<Case> ALL = List.of(
            of("test_qp_ex_rc_send", "1 SEND SUCCESS; 9 RECEIVE SUCCESS 8; data", s -> {
                s.a.memory.segment().setString(0, "data");
                s.b.qp.postReceive(9, s.b.memory, 64, 8);
                s.connect();
                s.a.send(1, 8);
                return s.a.takes(1) + "; " + s.b.takesBytes() + "; "
                        + s.b.memory.segment().getString(64);
            }),
            of("test_qp_ex_rc_send, no bytes", "1 SEND SUCCESS; 9 RECEIVE SUCCESS 0", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.a.send(1, 0);
                return s.a.takes(1) + "; " + s.b.takesBytes();
            }),
            of("test_qp_ex_rc_send_imm", "1 SEND SUCCESS; immediate 7", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().sendWithImmediate(7), 1);
                String sent = s.a.takes(1);
                s.b.takes(1);
                return sent + "; immediate " + s.b.cursor.immediate();
            }),
            of("test_qp_ex_rc_rdma_write", "1 WRITE SUCCESS; data", s -> {
                s.a.memory.segment().setString(0, "data");
                s.connect();
                s.a.qp.postWrite(1, s.a.memory, 0, 8, s.b.memory.remote(), 64, WrFlags.SIGNALLED);
                String entry = s.a.takes(1);
                s.becomes(() -> s.b.memory.segment().get(ValueLayout.JAVA_BYTE, 67) == 'a');
                return entry + "; " + s.b.memory.segment().getString(64);
            }),
            of("test_qp_ex_rc_rdma_write_imm", "1 WRITE SUCCESS; 9 RECEIVE_WRITE_IMMEDIATE SUCCESS; 7", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .writeWithImmediate(s.b.memory.address() + 64, s.b.memory.rkey(), 7)
                                .gather(s.a.memory, 0, 8),
                        1);
                return s.a.takes(1) + "; " + s.b.takes(1) + "; " + s.b.cursor.immediate();
            }),
            of("test_qp_ex_rc_rdma_write_zero_length", "1 WRITE SUCCESS", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().write(s.b.memory.address(), s.b.memory.rkey()), 1);
                return s.a.takes(1);
            }),
            of("test_qp_ex_rc_rdma_read", "1 READ SUCCESS 8; data", s -> {
                s.b.memory.segment().setString(64, "data");
                s.connect();
                s.a.qp.postRead(1, s.a.memory, 0, 8, s.b.memory.remote(), 64, WrFlags.SIGNALLED);
                return s.a.takesBytes() + "; " + s.a.memory.segment().getString(0);
            }),
            of("test_qp_ex_rc_rdma_read_zero_size", "1 READ SUCCESS", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().read(s.b.memory.address(), s.b.memory.rkey()), 1);
                return s.a.takes(1);
            }),
            of("test_qp_ex_rc_rdma_read, wrong key", "1 READ REMOTE_ACCESS", s -> {
                s.connect();
                s.a.qp.postRead(1, s.a.memory, 0, 8, s.b.memory.address(), 0x5a5a5a5a, WrFlags.SIGNALLED);
                return s.a.takes(1);
            }),
            of("test_qp_ex_rc_rdma_read, beyond the region", "1 READ REMOTE_ACCESS", s -> {
                s.connect();
                s.a.qp.postRead(
                        1,
                        s.a.memory,
                        0,
                        16,
                        s.b.memory.address() + Side.BYTES - 8,
                        s.b.memory.rkey(),
                        WrFlags.SIGNALLED);
                return s.a.takes(1);
            }),
            of("test_qp_ex_rc_rdma_read, into two elements", "1 READ SUCCESS", s -> {
                s.a.with(it -> it.withElements(2, 2));
                s.connect();
                s.a.post(
                        s.a.qp
                                .newWorkRequest()
                                .read(s.b.memory.address(), s.b.memory.rkey())
                                .scatter(s.a.memory, 0, 8)
                                .scatter(s.a.memory, 64, 8),
                        1);
                return s.a.takes(1);
            }),
            of("test_atomic_cmp_and_swap", "1 COMPARE_AND_SWAP SUCCESS; 40 then 7", s -> {
                s.b.memory.segment().set(ValueLayout.JAVA_LONG, 0, 40);
                s.connect();
                s.a.qp.postCompareAndSwap(
                        1, s.a.memory, 0, s.b.memory.address(), s.b.memory.rkey(), 40, 7, WrFlags.SIGNALLED);
                return s.a.takes(1) + "; " + words(s);
            }),
            of("test_atomic_cmp_and_swap, another value", "1 COMPARE_AND_SWAP SUCCESS; 40 then 40", s -> {
                s.b.memory.segment().set(ValueLayout.JAVA_LONG, 0, 40);
                s.connect();
                s.a.qp.postCompareAndSwap(
                        1, s.a.memory, 0, s.b.memory.address(), s.b.memory.rkey(), 41, 7, WrFlags.SIGNALLED);
                return s.a.takes(1) + "; " + words(s);
            }),
            of("test_atomic_fetch_and_add", "1 FETCH_AND_ADD SUCCESS; 40 then 42", s -> {
                s.b.memory.segment().set(ValueLayout.JAVA_LONG, 0, 40);
                s.connect();
                add(s, s.a.memory, s.b.memory.address(), s.b.memory.rkey());
                return s.a.takes(1) + "; " + words(s);
            }),
            of("test_atomic_invalid_qp_access", "1 FETCH_AND_ADD FAILED", s -> {
                s.connect();
                s.b.qp.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_READ)));
                add(s, s.a.memory, s.b.memory.address(), s.b.memory.rkey());
                return failed(s);
            }),
            of("test_atomic_invalid_mr_access", "1 FETCH_AND_ADD FAILED", s -> {
                MemoryRegion region = s.b.pd.allocate(64, AccessRight.REMOTE_READ);
                s.connect();
                add(s, s.a.memory, region.address(), region.rkey());
                return failed(s);
            }),
            of("test_atomic_non_aligned_addr", "1 FETCH_AND_ADD FAILED", s -> {
                s.connect();
                add(s, s.a.memory, s.b.memory.address() + 4, s.b.memory.rkey());
                return failed(s);
            }),
            of("test_atomic_invalid_lkey", "IllegalArgumentException", s -> {
                MemoryRegion other = s.a.rnic.allocateProtectionDomain().allocate(64, AccessRight.values());
                s.connect();
                return attempt(() -> add(s, other, s.b.memory.address(), s.b.memory.rkey()));
            }),
            of("test_atomic_invalid_rkey", "1 FETCH_AND_ADD FAILED", s -> {
                s.connect();
                add(s, s.a.memory, s.b.memory.address(), 0x5a5a5a5a);
                return failed(s);
            }),
            of("test_post_send_qp_state_bad_flow", "IllegalStateException", s -> attempt(() -> s.a.send(1, 8))),
            of("test_post_receive_qp_state_bad_flow", "done", s -> attempt(() -> s.a.receive(1, 8))),
            of("test_post_send_qp_state_bad_flow, after the end", "1 SEND FLUSHED", s -> {
                s.connect();
                s.fromA().disconnect();
                s.ends();
                s.a.send(1, 8);
                return s.a.takes(1);
            }),
            of(
                    "test_full_rq_bad_flow",
                    "8",
                    s -> answer(() -> {
                        int count = 0;
                        while (count < 100 && s.a.qp.postReceive(count, s.a.memory, 0, 8)) {
                            count++;
                        }
                        return count;
                    })),
            of(
                    "test_rq_with_larger_sgl_bad_flow",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.a.qp.post(s.a.qp
                            .newWorkRequest()
                            .receive()
                            .scatter(s.a.memory, 0, 8)
                            .scatter(s.a.memory, 8, 8)
                            .scatter(s.a.memory, 16, 8)
                            .scatter(s.a.memory, 24, 8)
                            .scatter(s.a.memory, 32, 8)))),
            of("test_inline_data", "1 SEND SUCCESS; 9 RECEIVE SUCCESS 8; inlined", s -> {
                s.a.with(it -> it.withMaxInlineBytes(64));
                s.b.receive(9, 8);
                s.connect();
                MemorySegment data =
                        MemorySegment.ofArray("inlined\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                s.a.post(s.a.qp.newWorkRequest().send().inlineData(data, 0, 8), 1);
                data.fill((byte) 0);
                return s.a.takes(1) + "; " + s.b.takesBytes() + "; "
                        + s.b.memory.segment().getString(0);
            }),
            of("test_unsignalled_work", "1000 and 2 WRITE SUCCESS", s -> {
                s.connect();
                int posted = 0;
                while (posted < 1000) {
                    if (s.a.qp.postWrite(1, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.UNSIGNALLED)) {
                        posted++;
                    } else if (s.a.cursor.next()) {
                        return s.a.completion();
                    }
                }
                while (!s.a.qp.postWrite(2, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED)) {
                    if (s.a.cursor.next()) {
                        return s.a.completion();
                    }
                }
                return posted + " and " + s.a.takes(1);
            }),
            of("test_batch", "1 WRITE SUCCESS, 2 WRITE SUCCESS, 3 READ SUCCESS", s -> {
                s.connect();
                s.a.qp.startBatch();
                s.a.qp.postWrite(1, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED);
                s.a.qp.postWrite(2, s.a.memory, 0, 8, s.b.memory.remote(), 8, WrFlags.SIGNALLED);
                s.a.qp.postRead(3, s.a.memory, 64, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED);
                s.a.qp.ringDoorbell();
                return s.a.takes(3);
            }),
            of("test_delay", "1 DELAY SUCCESS, 2 WRITE SUCCESS; late", s -> {
                s.connect();
                long beganNs = System.nanoTime();
                s.a.post(s.a.qp.newWorkRequest().delay(10_000_000), 1);
                s.a.qp.postWrite(2, s.a.memory, 0, 8, s.b.memory.remote(), 0, WrFlags.SIGNALLED);
                return s.a.takes(2) + (System.nanoTime() - beganNs < 10_000_000 ? "; early" : "; late");
            }));

    private static void add(Scene s, MemoryRegion result, long address, int key) {
        s.a.qp.postFetchAndAdd(1, result, 0, address, key, 2, WrFlags.SIGNALLED);
    }

    /** The words at the beginning of both memories, after the answer of an atomic. */
    private static String words(Scene s) {
        return s.a.memory.segment().get(ValueLayout.JAVA_LONG, 0) + " then "
                + s.b.memory.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    /** The entry of work that must fail; transports have different statuses for why. */
    private static String failed(Scene s) {
        String entry = s.a.takes(1);
        return entry.endsWith("SUCCESS") || entry.equals("nothing") ? entry : entry.replaceAll(" [A-Z_]+$", " FAILED");
    }
}
