package io.verbena.tools.impair;

import io.verbena.host.epoll.EpollLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Forwards Ethernet frames between two ends, as a bridge with two ports does. Both hosts see one another, and nothing of the forwarder. */
final class LinkBridge implements Bridge {

    /** Frames that are read from one end before the other has its turn. */
    private static final int BURST = 64;

    private final FrameEnd a;
    private final FrameEnd b;
    private final FrameReader reader;

    private LinkBridge(FrameEnd a, FrameEnd b, int rocePort) {
        this.a = a;
        this.b = b;
        this.reader = new FrameReader(rocePort);
    }

    /**
     * Opens both ends, which the loop closes.
     *
     * @throws IOException with a sentence that says what to do
     */
    static LinkBridge open(EpollLoop loop, String a, String b, int rocePort) throws IOException {
        FrameEnd first = FrameEnd.open(loop, a);
        return new LinkBridge(first, FrameEnd.open(loop, b), rocePort);
    }

    @Override
    public boolean receive(Taker taker) throws IOException {
        boolean some = receive(a, Side.A, taker);
        return receive(b, Side.B, taker) || some;
    }

    private boolean receive(FrameEnd end, Side side, Taker taker) throws IOException {
        int calls = 0;
        while (calls < BURST && end.receive(frame -> taker.take(side, Packet.frame(frame, reader.frame(frame))))) {
            calls++;
        }
        return calls > 0;
    }

    @Override
    public boolean send(Impairment.Passing passing) throws IOException {
        FrameEnd to = passing.from() == Side.A ? b : a;
        return to.send(passing.packet().bytes());
    }

    @Override
    public String ends() {
        return a.name() + " (a) and " + b.name() + " (b)";
    }

    @Override
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (a.mtu() != b.mtu()) {
            notes.add("The MTUs differ: " + a.mtu() + " at " + a.name() + " and " + b.mtu() + " at " + b.name()
                    + "; longer packets are lost where the MTU is smaller.");
        }
        return notes;
    }

    @Override
    public List<String> findings() {
        return List.of();
    }
}
