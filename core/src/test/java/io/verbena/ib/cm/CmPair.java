package io.verbena.ib.cm;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Two ports with communication management. The test delivers the datagrams. */
final class CmPair {

    static final long SERVICE = CmListener.tcpService(7174);
    static final long A_ADDRESS = 0xffff_0a4d_0003L;
    static final long B_ADDRESS = 0xffff_0a4d_0002L;
    static final long A_GUID = 0xa;
    static final long B_GUID = 0xb;

    /** One port. */
    static final class Side {
        final long address;
        final CmAgent agent;
        final ArrayDeque<byte[]> wire = new ArrayDeque<>();
        final List<CmSignal> signals = new ArrayList<>();
        final Origin fromPeer;

        Side(long address, long peer, CmPort port, long seed) {
            this(address, peer, port, seed, CmRecord.none());
        }

        Side(long address, long peer, CmPort port, long seed, CmRecord record) {
            this.address = address;
            SplittableRandom random = new SplittableRandom(seed);
            agent = new CmAgent(port, random::nextLong, record);
            fromPeer = new Origin().source(0, peer).target(0, address);
        }

        /** Fetches datagrams and signals. */
        void collect() {
            for (Optional<CmAgent.Outgoing> each = agent.pollOutgoing();
                    each.isPresent();
                    each = agent.pollOutgoing()) {
                wire.add(each.get().bytes());
            }
            for (Optional<CmSignal> each = agent.pollSignal(); each.isPresent(); each = agent.pollSignal()) {
                signals.add(each.get());
            }
        }

        void receive(byte[] bytes, long nowNs) {
            agent.onDatagram(MemorySegment.ofArray(bytes), 0, bytes.length, fromPeer, nowNs);
            collect();
        }

        /** The messages sent since the last call: names, with the reason of a REJ and the status of an answer. */
        List<String> sent() {
            collect();
            List<String> names = new ArrayList<>();
            while (!wire.isEmpty()) {
                names.add(name(wire.removeFirst()));
            }
            return names;
        }

        /** The last signal of a kind. */
        <S extends CmSignal> S last(Class<S> kind) {
            collect();
            for (int i = signals.size() - 1; i >= 0; i--) {
                if (kind.isInstance(signals.get(i))) {
                    return kind.cast(signals.get(i));
                }
            }
            throw new AssertionError("no " + kind.getSimpleName() + " among " + signals);
        }

        int count(Class<? extends CmSignal> kind) {
            collect();
            return (int) signals.stream().filter(kind::isInstance).count();
        }
    }

    static String name(byte[] bytes) {
        CmMessage message = new CmMessage();
        if (!message.read(MemorySegment.ofArray(bytes), 0, bytes.length)) {
            return "none";
        }
        return switch (message.attribute()) {
            case CmMessage.REQ -> "REQ";
            case CmMessage.MRA -> "MRA";
            case CmMessage.REJ -> "REJ " + message.rej().reason();
            case CmMessage.REP -> "REP";
            case CmMessage.RTU -> "RTU";
            case CmMessage.DREQ -> "DREQ";
            case CmMessage.DREP -> "DREP";
            case CmMessage.LAP -> "LAP";
            case CmMessage.APR -> "APR " + message.apr().status();
            case CmMessage.SIDR_REQ -> "SIDR_REQ";
            case CmMessage.SIDR_REP -> "SIDR_REP " + message.sidrRep().status();
            default -> "unknown";
        };
    }

    final Side a;
    Side b;
    long nowNs = Long.MAX_VALUE - 5_000_000_000L;

    CmPair(long seed, boolean answersAlternates) {
        a = new Side(A_ADDRESS, B_ADDRESS, port(A_ADDRESS, A_GUID, answersAlternates), seed);
        b = new Side(B_ADDRESS, A_ADDRESS, port(B_ADDRESS, B_GUID, answersAlternates), seed + 1);
        b.agent.listen(SERVICE, new CmListener(3, false));
    }

    CmPair() {
        this(1, false);
    }

    /** Side b is killed. Another process starts, with this record and other random numbers. */
    void restartB(CmRecord record, long seed) {
        b = new Side(B_ADDRESS, A_ADDRESS, port(B_ADDRESS, B_GUID, false), seed, record);
        b.agent.listen(SERVICE, new CmListener(3, false));
    }

    static CmPort port(long address, long guid, boolean answersAlternates) {
        return new CmPort(CmPort.Address.of(0, address, guid), 20, 15, 8, answersAlternates, CmPort.Gids.NONE);
    }

    static PacketPath path(long address) {
        return new PacketPath(0, address, 4791, 0);
    }

    static final CmRetries RETRIES = new CmRetries(7, 7, 19);

    static CmOffer offer(int queuePair) {
        CmEndpoint endpoint = new CmEndpoint(queuePair, 77, 4, 4, true, false);
        return new CmOffer(SERVICE, 0, endpoint, 3, RETRIES, new byte[] {1, 2, 3});
    }

    static CmAnswer answer(int queuePair) {
        return new CmAnswer(new CmEndpoint(queuePair, 99, 4, 4, true, false), 7, new byte[] {4, 5});
    }

    int connect(int queuePair) {
        return a.agent.connect(offer(queuePair), path(B_ADDRESS), nowNs);
    }

    void toB() {
        a.collect();
        while (!a.wire.isEmpty()) {
            b.receive(a.wire.removeFirst(), nowNs);
        }
    }

    void toA() {
        b.collect();
        while (!b.wire.isEmpty()) {
            a.receive(b.wire.removeFirst(), nowNs);
        }
    }

    /** Establishes a connection. Returns its number on side a and on side b. */
    int[] established() {
        int local = connect(0x11);
        toB();
        int remote = b.last(CmSignal.Requested.class).connection();
        b.agent.accept(remote, answer(0x22), nowNs);
        toA();
        a.agent.ready(local, new byte[0], nowNs);
        toB();
        b.last(CmSignal.Established.class);
        return new int[] {local, remote};
    }

    void pass(long durationNs) {
        nowNs += durationNs;
        a.agent.onDeadline(nowNs);
        b.agent.onDeadline(nowNs);
    }
}
