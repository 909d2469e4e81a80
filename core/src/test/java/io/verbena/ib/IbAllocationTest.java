package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.ib.unreliable.AddressHandles;
import io.verbena.ib.unreliable.UcEngine;
import io.verbena.ib.unreliable.UdEngine;
import io.verbena.memory.Region;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** From a posted work request to both completions, an engine of each service allocates nothing in the steady state. */
class IbAllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 5_000;
    private static final int MESSAGE = 3_000;
    private static final int Q_KEY = 0x1111_1111;

    private final ByteBuffer buffer = ByteBuffer.allocate(8192);
    private final MemorySegment segment = MemorySegment.ofBuffer(buffer);
    private final IbPacket packet = new IbPacket();
    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();
    private long nowNs = 5;
    private int lossEvery = Integer.MAX_VALUE;
    private int moved;

    /** Bytes of the cheapest of a few runs: a compiler that is still at work allocates now and then. */
    private static long leastAllocated(Runnable round) {
        long least = Long.MAX_VALUE;
        for (int run = 0; run < 6 && least > 0; run++) {
            for (int i = 0; i < ROUNDS; i++) {
                round.run();
            }
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                round.run();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    private boolean move(QueuePairEngine from, PacketBuilder builder, PacketList list, QueuePairEngine to, Origin o) {
        if (!from.hasTransmitWork(nowNs)) {
            return false;
        }
        list.reset(64, 65_507);
        from.fillTransmit(builder, 64 * 1024, nowNs);
        for (int i = 0; i < list.packets(); i++) {
            buffer.clear();
            list.copyOut(i, buffer);
            if (++moved % lossEvery == 0) {
                continue;
            }
            if (packet.decode(segment, 0, buffer.position()) != IbPacketOutcome.OK) {
                throw new AssertionError("not a packet");
            }
            to.onPacket(packet, segment, o, nowNs);
        }
        return list.packets() > 0;
    }

    private void post(
            WorkQueue queue, WorkOpcode opcode, Region local, int offset, int length, Region remote, int destination) {
        queue.claim(wqe);
        wqe.clear(opcode, WrFlags.SIGNALLED).wrId(1).addElement(local.localKey(), offset, length);
        if (opcode != WorkOpcode.RECEIVE) {
            wqe.remoteAddress(remote.baseAddress()).rkey(remote.rkey());
        }
        if (opcode == WorkOpcode.FETCH_AND_ADD) {
            wqe.operand1(1);
        }
        if (destination >= 0) {
            wqe.destination(0x33, Q_KEY).otherKey(destination);
        }
        queue.written();
        queue.publish();
    }

    private int drain(CompletionRing ring) {
        int count = 0;
        while (ring.peek(cqe)) {
            if (cqe.status() != CompletionStatus.SUCCESS) {
                throw new AssertionError("status " + cqe.status());
            }
            ring.release();
            count++;
        }
        return count;
    }

    private void reliableRound(RcPair pair, Region local, Region remote) {
        post(pair.b.receive, WorkOpcode.RECEIVE, remote, 0, MESSAGE, remote, -1);
        post(pair.a.send, WorkOpcode.SEND, local, 0, MESSAGE, remote, -1);
        post(pair.a.send, WorkOpcode.WRITE, local, 0, MESSAGE, remote, -1);
        post(pair.a.send, WorkOpcode.READ, local, 0, MESSAGE, remote, -1);
        post(pair.a.send, WorkOpcode.FETCH_AND_ADD, local, 0, 8, remote, -1);
        int done = 0;
        while (done < 4) {
            boolean any = move(pair.a.engine, pair.a.builder, pair.a.list, pair.b.engine, pair.b.origin);
            any |= move(pair.b.engine, pair.b.builder, pair.b.list, pair.a.engine, pair.a.origin);
            done += drain(pair.a.ring);
            if (!any && done < 4) {
                nowNs += RcPair.TIMEOUT_NS;
                pair.a.engine.onDeadline(nowNs);
                pair.b.engine.onDeadline(nowNs);
            }
        }
        drain(pair.b.ring);
    }

    private long reliable(RcOption... options) {
        RcPair pair = new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, 100, 900)
                        .retries(7, RcSettings.UNLIMITED)
                        .options(options)
                        .reliableConnection(),
                RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100)
                        .retries(7, RcSettings.UNLIMITED)
                        .options(options)
                        .reliableConnection());
        Region local = pair.a.region(MESSAGE);
        Region remote = pair.b.region(MESSAGE);
        return leastAllocated(() -> reliableRound(pair, local, remote));
    }

    @Test
    void reliableConnection_sendWriteReadAtomic_allocatesNothing() {
        assertEquals(0, reliable());
    }

    @Test
    void reliableConnection_withLoss_allocatesNothing() {
        lossEvery = 97;
        assertEquals(0, reliable());
    }

    @Test
    void selectiveRepeat_withLoss_allocatesNothing() {
        lossEvery = 97;
        assertEquals(0, reliable(RcOption.SELECTIVE_REPEAT));
    }

    @Test
    void unreliableConnection_sendAndWrite_allocatesNothing() {
        PacketPath path = new PacketPath(0, Station.ADDRESS + 2, 4791, 0);
        SettingsBuilder builder = new SettingsBuilder().local(0x11).remote(0x22).firstPsns(1, 1);
        Station<UcEngine> a = new Station<>(0x11, work -> new UcEngine(builder.unreliableConnection(), work, path));
        Station<UcEngine> b = new Station<>(
                0x22, work -> new UcEngine(builder.local(0x22).remote(0x11).unreliableConnection(), work, path));
        a.engine.readyToSend();
        Region local = a.region(MESSAGE);
        Region remote = b.region(MESSAGE);
        assertEquals(0, leastAllocated(() -> {
            post(b.receive, WorkOpcode.RECEIVE, remote, 0, MESSAGE, remote, -1);
            post(a.send, WorkOpcode.SEND, local, 0, MESSAGE, remote, -1);
            post(a.send, WorkOpcode.WRITE, local, 0, MESSAGE, remote, -1);
            move(a.engine, a.builder, a.list, b.engine, b.origin);
            assertEquals(3, drain(a.ring) + drain(b.ring));
        }));
    }

    @Test
    void datagram_send_allocatesNothing() {
        PacketPath path = new PacketPath(0, Station.ADDRESS + 2, 4791, 0);
        AddressHandles handles = new AddressHandles(2);
        int peer = handles.add(path);
        SettingsBuilder builder = new SettingsBuilder().local(0x33).qKey(Q_KEY);
        Station<UdEngine> a = new Station<>(0x33, work -> new UdEngine(builder.datagram(), work, handles));
        Station<UdEngine> b = new Station<>(0x33, work -> new UdEngine(builder.datagram(), work, handles));
        a.engine.readyToSend();
        Region local = a.region(MESSAGE);
        Region remote = b.region(MESSAGE);
        assertEquals(0, leastAllocated(() -> {
            post(b.receive, WorkOpcode.RECEIVE, remote, 0, MESSAGE, remote, -1);
            post(a.send, WorkOpcode.SEND, local, 0, 1000, remote, peer);
            move(a.engine, a.builder, a.list, b.engine, b.origin);
            assertEquals(2, drain(a.ring) + drain(b.ring));
        }));
    }
}
