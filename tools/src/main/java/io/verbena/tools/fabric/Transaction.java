package io.verbena.tools.fabric;

import io.verbena.fabric.link.FlitHeader;
import io.verbena.fabric.link.FlitSent;
import io.verbena.fabric.link.FlitType;
import io.verbena.fabric.link.Frames;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.FabricEvents;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.wire.ib.Aeth;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Lrh;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One Send of a reliable connection from SANIC A over two switches to SANIC B, as it happens in the simulation: the frames of the
 * message, their acknowledgements, and the flits of every link.
 */
public final class Transaction {

    /** The nodes from left to right. */
    public static final List<String> NODES = List.of("SANIC A", "switch 1", "switch 2", "SANIC B");

    /** ICRC and VCRC. */
    static final int TRAILER = 6;

    static final int HEADERS = Lrh.LENGTH + Bth.LENGTH;
    private static final int ACKNOWLEDGEMENT = HEADERS + Aeth.LENGTH + TRAILER;
    private static final long PICOSECONDS = 1_000;
    private static final long REST_TICKS = 1_000;
    private static final long LIMIT_TICKS = 100_000_000;

    /**
     * The message and the links.
     *
     * @param parts lengths of the buffers of the gather list
     * @param payload bytes of the message in a frame
     * @param errors probability that a flit is damaged
     * @param seed seed of the errors
     * @param receiver the kind of SANIC B
     */
    public record Setting(List<Integer> parts, int payload, double errors, long seed, AdapterKind receiver) {

        /** Four buffers, which two frames of four flits carry. */
        public static final Setting DEFAULT = new Setting(List.of(160, 120, 88, 80), 224, 0, 1, AdapterKind.HOST);

        /** Checks the values. */
        public Setting {
            parts = List.copyOf(parts);
            if (parts.isEmpty() || parts.size() > 16 || parts.stream().anyMatch(part -> part < 1 || part > 4096)) {
                throw new IllegalArgumentException(
                        "A gather list has 1 to 16 buffers of 1 to 4096 bytes here, not " + parts);
            }
            if (payload < 1 || payload > 4096) {
                throw new IllegalArgumentException("A frame has 1 to 4096 bytes of payload, not " + payload);
            }
        }

        /** Length of the message. */
        public int length() {
            return parts.stream().mapToInt(Integer::intValue).sum();
        }
    }

    /** A range of a buffer of the gather list. */
    public record Piece(int part, int offset, int length) {}

    /** A frame of the message with the pieces that it contains and the number of its first flit. */
    public record Frame(int number, IbOpcode opcode, List<Piece> pieces, int bytes, int firstFlit) {

        /** Number of flits. */
        public int flits() {
            return Math.ceilDiv(bytes, FlitHeader.PAYLOAD);
        }
    }

    /** What a flit is part of. */
    public enum Purpose {
        REQUEST,
        ACKNOWLEDGEMENT,
        LINK
    }

    /**
     * A flit on a link.
     *
     * @param hop its way
     * @param purpose what it is part of
     * @param frame the frame that it is part of, or that is acknowledged; -1 for flits of the link
     * @param number number of the flit in the message, or of the frame of the acknowledgement; -1 for flits of the link
     * @param sent its header
     */
    public record Flit(Hop hop, Purpose purpose, int frame, int number, FlitSent sent) {

        /**
         * The way of a flit over a link.
         *
         * @param sentNs begin of its transmission
         * @param arrivedNs end of its arrival
         * @param from node that sends it, by its position in {@link #NODES}
         * @param to node that receives it
         */
        public record Hop(double sentNs, double arrivedNs, int from, int to) {}
    }

    /** A frame or its acknowledgement from one SANIC to the other. */
    public record Passage(double sentNs, double arrivedNs, boolean acknowledgement, int frame) {}

    private final Setting setting;
    private final List<Frame> frames;
    private final List<Flit> flits = new ArrayList<>();
    private final List<Passage> passages = new ArrayList<>();
    private final Fabric fabric;
    private final int portA;
    private final int portB;
    private final Map<Long, Flit> numbered = new HashMap<>();
    private final Map<Long, Integer> positions = new HashMap<>();
    private int acknowledged;

    private Transaction(Setting setting) {
        this.setting = setting;
        frames = MessageFrames.of(setting);
        Wiring wiring = Layouts.mesh(LinkTiming.DEFAULT, 2);
        LinkSettings link = LinkSettings.DEFAULT.withErrors(setting.errors()).withSeed(setting.seed());
        fabric = new Fabric(wiring, link, SwitchSettings.DEFAULT, new Endnodes());
        portA = wiring.endports()[0];
        portB = wiring.endports()[1];
        fabric.observe(this::onFlit);
    }

    /** Lets it happen, until the last acknowledgement has arrived. */
    public static Transaction run(Setting setting) {
        Transaction transaction = new Transaction(setting);
        for (Frame frame : transaction.frames) {
            int sent = transaction.fabric.send(transaction.portA, 2, 0, frame.bytes());
            transaction.fabric.frames().contents(sent, frame);
        }
        transaction.fabric.drain(LIMIT_TICKS);
        // Between the arrival of a frame and its acknowledgement by software, no frame is in the fabric.
        while (transaction.acknowledged < transaction.frames.size() && transaction.fabric.nextTick() <= LIMIT_TICKS) {
            transaction.fabric.run(transaction.fabric.nextTick());
        }
        // The links still acknowledge the last flits.
        transaction.fabric.run(transaction.fabric.now() + REST_TICKS);
        if (transaction.acknowledged != transaction.frames.size()) {
            throw new IllegalStateException(transaction.acknowledged + " of " + transaction.frames.size()
                    + " frames were acknowledged after " + ns(LIMIT_TICKS) + " ns");
        }
        return transaction;
    }

    private void onFlit(int port, long now, long arrival, FlitSent sent) {
        Wiring wiring = fabric.wiring();
        int from = place(wiring.nodeOf(port));
        int to = place(wiring.nodeOf(wiring.peer(port)));
        long key = (long) port << 32 | sent.numbers().sequence();
        Optional<Flit> before = sent.type() == FlitType.ACK ? Optional.empty() : Optional.ofNullable(numbered.get(key));
        Purpose purpose = Purpose.LINK;
        int frame = -1;
        int number = -1;
        if (before.isPresent()) {
            purpose = before.get().purpose();
            frame = before.get().frame();
            number = before.get().number();
        } else if (sent.type() == FlitType.DATA) {
            Frame contents = contents(Frames.frameOf(sent.data().flit()));
            purpose = fabric.frames().source(Frames.frameOf(sent.data().flit())) == portA
                    ? Purpose.REQUEST
                    : Purpose.ACKNOWLEDGEMENT;
            frame = contents.number();
            number = purpose == Purpose.REQUEST
                    ? contents.firstFlit() + positions.merge((long) port << 32 | frame, 1, Integer::sum) - 1
                    : frame;
        }
        Flit flit = new Flit(new Flit.Hop(ns(now), ns(arrival), from, to), purpose, frame, number, sent);
        if (sent.type() != FlitType.ACK) {
            numbered.putIfAbsent(key, flit);
        }
        flits.add(flit);
    }

    private Frame contents(int frame) {
        if (fabric.frames().contents(frame) instanceof Frame contents) {
            return contents;
        }
        throw new IllegalStateException("frame " + frame + " is unknown");
    }

    /** Switches are the first nodes of the wiring. */
    private static int place(int node) {
        return switch (node) {
            case 0 -> 1;
            case 1 -> 2;
            case 2 -> 0;
            default -> 3;
        };
    }

    private static double ns(long ticks) {
        return ticks * LinkTiming.PICOSECONDS_PER_TICK / 1000.0;
    }

    /** Message and links. */
    public Setting setting() {
        return setting;
    }

    /** The frames of the message. */
    public List<Frame> frames() {
        return frames;
    }

    /** All flits, in the order of their transmission. */
    public List<Flit> flits() {
        return List.copyOf(flits);
    }

    /** All frames and acknowledgements, in the order of their arrival. */
    public List<Passage> passages() {
        return List.copyOf(passages);
    }

    /** The time of the completion at SANIC A. */
    public double completedNs() {
        return passages.getLast().arrivedNs();
    }

    /** The responder acknowledges each frame; the requester counts the acknowledgements. */
    private final class Endnodes implements FabricEvents {
        /** Frames that the software of SANIC B processes, and the tick at which it will have processed the last one. */
        private final ArrayDeque<Processed> processed = new ArrayDeque<>();

        private record Processed(Frame frame, long at) {}

        @Override
        public void onFrame(int port, int frame, boolean intact, long now) {
            Frame contents = contents(frame);
            boolean request = port == portB;
            passages.add(new Passage(ns(fabric.frames().born(frame)), ns(now), !request, contents.number()));
            if (!request) {
                acknowledged++;
            } else if (setting.receiver().softwareNs(contents.bytes()) == 0) {
                acknowledge(contents);
            } else {
                long begins = processed.isEmpty()
                        ? now
                        : Math.max(now, processed.getLast().at());
                processed.add(new Processed(contents, begins + softwareTicks(contents)));
                fabric.wakeAt(portB, processed.getFirst().at());
            }
        }

        /** The software processes a frame, and then its acknowledgement. */
        private long softwareTicks(Frame frame) {
            AdapterKind kind = setting.receiver();
            long costNs = kind.softwareNs(frame.bytes()) + kind.softwareNs(ACKNOWLEDGEMENT);
            return costNs * PICOSECONDS / LinkTiming.PICOSECONDS_PER_TICK;
        }

        private void acknowledge(Frame frame) {
            int answer = fabric.send(portB, 1, 0, ACKNOWLEDGEMENT);
            fabric.frames().contents(answer, frame);
        }

        @Override
        public void onTick(int port, long now) {
            acknowledge(processed.remove().frame());
            if (!processed.isEmpty()) {
                fabric.wakeAt(port, Math.max(now, processed.getFirst().at()));
            }
        }
    }
}
