package io.verbena.sim;

import java.net.InetSocketAddress;
import java.util.Optional;

/** A virtual connection: two ends, two pipes, and the faults that affect both. */
public final class Link {

    private final Run run;
    private final VirtualStream initiator;
    private final VirtualStream responder;
    private Optional<String> fault = Optional.empty();
    private boolean breaking;
    private boolean resetSent;

    Link(
            Run run,
            PipePlan there,
            PipePlan back,
            InetSocketAddress from,
            InetSocketAddress to,
            Optional<SegmentTcp> segments) {
        this.run = run;
        String ends = text(from) + ">" + text(to);
        String reversed = text(from) + "<" + text(to);
        initiator = newEnd(segments, ends, from, to);
        responder = newEnd(segments, reversed, to, from);
        PipeTap tapThere = new PipeTap(run, ends);
        PipeTap tapBack = new PipeTap(run, reversed);
        tapThere.other(tapBack);
        tapBack.other(tapThere);
        VirtualPipe pipeThere = new VirtualPipe(run, there, responder::onArrival, () -> pipeFault(there), tapThere);
        VirtualPipe pipeBack = new VirtualPipe(run, back, initiator::onArrival, () -> pipeFault(back), tapBack);
        initiator.pipes(pipeBack, pipeThere);
        responder.pipes(pipeThere, pipeBack);
    }

    private VirtualStream newEnd(
            Optional<SegmentTcp> segments, String name, InetSocketAddress local, InetSocketAddress remote) {
        return segments.<VirtualStream>map(tcp -> new VirtualSegmentStream(run, this, name, local, remote, tcp))
                .orElseGet(() -> new VirtualStream(run, this, name, local, remote));
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    VirtualStream initiator() {
        return initiator;
    }

    VirtualStream responder() {
        return responder;
    }

    VirtualStream peerOf(VirtualStream end) {
        return end == initiator ? responder : initiator;
    }

    /** Address of the end that connected. */
    public InetSocketAddress initiatorAddress() {
        return initiator.localAddress();
    }

    /** Address of the end that accepted. */
    public InetSocketAddress responderAddress() {
        return responder.localAddress();
    }

    /** What the network did to this connection, if it did anything that ends it. */
    public Optional<String> fault() {
        return fault;
    }

    /** Number of ends that have not been closed. */
    public int openEnds() {
        return (initiator.closed() ? 0 : 1) + (responder.closed() ? 0 : 1);
    }

    boolean touches(java.net.InetAddress host) {
        return initiator.localAddress().getAddress().equals(host)
                || responder.localAddress().getAddress().equals(host);
    }

    private void pipeFault(PipePlan plan) {
        if (plan.cutAtByte() == PipePlan.NEVER) {
            faulted("its bytes were changed");
        } else if (run.weather().random().oneIn(3)) {
            silence("it went silent");
        } else {
            reset("it was reset");
        }
    }

    private void faulted(String what) {
        if (fault.isEmpty()) {
            fault = Optional.of(what);
            run.log(() -> initiator + ": " + what);
        }
    }

    /** Resets the connection: both ends are notified, each after its own delay; bytes in transit are lost. */
    public void reset(String why) {
        faulted(why);
        if (breaking) {
            return;
        }
        breaking = true;
        run.after(run.weather().packetDelayNs(), () -> initiator.onBroken(Breakage.RESET));
        run.after(run.weather().packetDelayNs(), () -> responder.onBroken(Breakage.RESET));
    }

    /**
     * Ends both directions with a FIN, as the system of a process between the sides does when that process ends: what
     * is in transit arrives, and nothing after it. Only for streams without segments.
     */
    public void end(String why) {
        faulted(why);
        if (!breaking) {
            breaking = true;
            initiator.in().endEarly();
            responder.in().endEarly();
        }
    }

    /** Stops delivery in both directions, until both systems give up. */
    public void silence(String why) {
        faulted(why);
        if (breaking) {
            return;
        }
        breaking = true;
        initiator.in().kill(false);
        responder.in().kill(false);
        run.after(run.weather().keepAliveNs(), () -> initiator.onBroken(Breakage.SILENT));
        run.after(run.weather().keepAliveNs(), () -> responder.onBroken(Breakage.SILENT));
    }

    /** Ends the connection at a host that died; the other end is notified at once or much later. */
    void hostDied(java.net.InetAddress host, boolean silently) {
        for (VirtualStream end : new VirtualStream[] {initiator, responder}) {
            if (end.localAddress().getAddress().equals(host)) {
                end.vanish();
            }
        }
        if (silently) {
            silence("its host died silently");
        } else {
            reset("its host died");
        }
    }

    /** An end notifies the other that the connection does not exist there any more. */
    void sendReset(VirtualStream from, boolean atOnce) {
        if (resetSent || breaking) {
            return;
        }
        resetSent = true;
        long delayNs = run.weather().packetDelayNs();
        // A reset for late data arrives after the bytes sent before it; an abrupt one may overtake them.
        long behindNs = from.out().lastArrivalNs() - run.nowNs();
        long afterNs = atOnce && run.weather().random().oneIn(2) ? delayNs : Math.max(delayNs, behindNs + delayNs);
        run.after(afterNs, () -> peerOf(from).onBroken(Breakage.RESET));
    }

    @Override
    public String toString() {
        return "link " + text(initiatorAddress()) + ">" + text(responderAddress());
    }
}
