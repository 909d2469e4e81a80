package io.verbena.host;

import io.verbena.base.RandomSource;
import io.verbena.host.engine.Driven;
import io.verbena.host.engine.EngineBorrower;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.link.OwnTcp;
import io.verbena.host.segment.AbstractNames;
import io.verbena.host.segment.HostSharedMemory;
import io.verbena.port.PacketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.port.capture.CapturingLoop;
import io.verbena.port.capture.CapturingPacketLoop;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.FaultyLoop;
import io.verbena.port.faults.FaultyPacketLoop;
import io.verbena.port.faults.PacketFaults;
import io.verbena.shm.ChoosingLoop;
import io.verbena.shm.SharedLayout;
import io.verbena.shm.SharedMemory;
import io.verbena.shm.SharedMemoryLoop;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What carries the data of each engine of an RNIC: its sockets, and around them what the options request.
 *
 * <pre>
 *   streams:  sockets, or the library's TCP  ->  [shared memory]  ->  [capture]  ->  [faults]  ->  engine
 *   packets:  sockets                                             ->  [capture]  ->  [faults]  ->  engine
 * </pre>
 */
final class Carriers {

    /** Size of the ring of each direction in shared memory. */
    private static final int RING_BYTES = 1 << 20;

    private final RandomSource random;
    private final Optional<CaptureFile> capture;
    private final Optional<HostSharedMemory> sharedMemory;
    private final boolean memoryRequired;
    private final List<EngineLoop> sockets = new ArrayList<>();
    private final List<StreamLoop> streams = new ArrayList<>();
    private final List<FaultyLoop> faulty = new ArrayList<>();
    private final List<PacketLoop> packets = new ArrayList<>();
    private final List<FaultyPacketLoop> faultyPackets = new ArrayList<>();
    private @Nullable OwnTcp tcp;

    /**
     * None yet.
     *
     * @param memoryRequired whether all streams go through shared memory; otherwise each connection chooses
     */
    Carriers(
            RandomSource random,
            Optional<CaptureFile> capture,
            Optional<HostSharedMemory> sharedMemory,
            boolean memoryRequired) {
        this.random = random;
        this.capture = capture;
        this.sharedMemory = sharedMemory;
        this.memoryRequired = memoryRequired;
    }

    /** Adds those of the next engine. */
    void add(RnicOptions options, FaultPlan faults, PacketFaults packetFaults) throws IOException {
        EngineLoop socketLoop = EpollLoop.openFastest(options.iwarp().socketBufferBytes());
        sockets.add(socketLoop);
        StreamLoop below = options.iwarp().tcp() == TcpCarrier.KERNEL ? socketLoop : ownTcp(socketLoop, options);
        StreamLoop chosen = sharedMemory
                .<StreamLoop>map(memory -> throughMemory(socketLoop, below, memory, options))
                .orElse(below);
        // The carrier of a TCP of the library captures packets.
        StreamLoop loop = capture.filter(_ -> tcp == null)
                .<StreamLoop>map(file -> new CapturingLoop(chosen, file.capture()))
                .orElse(chosen);
        if (!faults.equals(FaultPlan.none())) {
            FaultyLoop faultyLoop = new FaultyLoop(loop, faults, random, System.nanoTime());
            faulty.add(faultyLoop);
            loop = faultyLoop;
        }
        streams.add(loop);
        addPackets(socketLoop, packetFaults);
    }

    private StreamLoop throughMemory(
            EngineLoop socketLoop, StreamLoop below, SharedMemory memory, RnicOptions options) {
        int requested = options.iwarp().socketBufferBytes();
        int ringBytes = requested == 0
                ? RING_BYTES
                : Integer.highestOneBit(
                        Math.clamp(requested, SharedLayout.LEAST_RING_BYTES, SharedLayout.MOST_RING_BYTES));
        SharedMemoryLoop streams = new SharedMemoryLoop(
                below, memory, random, ringBytes, options.iwarp().direct());
        socketLoop.poll(streams);
        return new ChoosingLoop(below, streams, AbstractNames.ofThisProcess(), memoryRequired);
    }

    private StreamLoop ownTcp(EngineLoop socketLoop, RnicOptions options) {
        OwnTcp ownTcp = OwnTcp.open(
                socketLoop, options, PacketFaults.none(), capture.map(CaptureFile::capture), random, System.nanoTime());
        tcp = ownTcp;
        return ownTcp.streams();
    }

    private void addPackets(EngineLoop socketLoop, PacketFaults faults) {
        PacketLoop loop = capture.<PacketLoop>map(file -> new CapturingPacketLoop(socketLoop, file.capture()))
                .orElse(socketLoop);
        if (!faults.equals(PacketFaults.none())) {
            FaultyPacketLoop faultyLoop = new FaultyPacketLoop(loop, faults, random, System.nanoTime());
            faultyPackets.add(faultyLoop);
            loop = faultyLoop;
        }
        packets.add(loop);
    }

    int count() {
        return sockets.size();
    }

    EngineLoop sockets(int engine) {
        return sockets.get(engine);
    }

    StreamLoop streams(int engine) {
        return streams.get(engine);
    }

    PacketLoop packets(int engine) {
        return packets.get(engine);
    }

    /** The engine together with the stack and the faults that are driven with it. */
    Driven around(Driven engine, int index) {
        OwnTcp currentTcp = tcp;
        Driven stack = currentTcp == null ? engine : currentTcp.under(engine);
        Driven streams = faulty.isEmpty() ? stack : stack.withFaults(faulty.get(index));
        return faultyPackets.isEmpty() ? streams : streams.withFaults(faultyPackets.get(index));
    }

    /** Resets open connections of the library's TCP. Nothing drives it any more. */
    void resetTcp() {
        OwnTcp currentTcp = tcp;
        if (currentTcp != null && !EngineBorrower.drivesHere()) {
            currentTcp.streams().close(System.nanoTime());
        }
    }

    /** Closes the sockets, which no thread drives. */
    void close() throws IOException {
        for (EngineLoop loop : sockets) {
            loop.close();
        }
    }
}
