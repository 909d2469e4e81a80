package io.verbena.sim.lan;

import io.verbena.base.Times;
import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.link.LinkRouter;
import java.util.Optional;
import java.util.function.Consumer;

/** The interface of a router on a {@link Lan}. */
public final class LanRouter {

    private final World world;
    private final LinkRouter link;
    private final Lan.Port port;
    private final Consumer<byte[]> toOtherNetwork;
    private long wakeAtNs;
    private boolean waking;
    private long dropped;

    LanRouter(Lan lan, LinkAddress address, SimRandom random, Consumer<byte[]> toOtherNetwork) {
        world = lan.world();
        link = new LinkRouter(address, random, world.nowNs());
        this.toOtherNetwork = toOtherNetwork;
        port = lan.port(this::onFrame);
        settle();
    }

    /** Sends an IPv6 packet of the other network to a host on the LAN. */
    public void forward(byte[] packet) {
        dropped += link.forward(packet, world.nowNs()) ? 0 : 1;
        settle();
    }

    /** Packets of the other network that may not be forwarded: damaged, without hops left, or to no single host. */
    public long dropped() {
        return dropped;
    }

    private void onFrame(byte[] frame) {
        Optional<byte[]> packet = link.onFrame(frame, world.nowNs());
        settle();
        packet.ifPresent(toOtherNetwork);
    }

    /** Sends what is ready, and waits for the next deadline. */
    private void settle() {
        for (Optional<byte[]> frame = link.poll(); frame.isPresent(); frame = link.poll()) {
            port.send(frame.get());
        }
        long nextNs = link.nextDeadlineNs();
        if (nextNs != Times.NEVER && (!waking || nextNs - wakeAtNs < 0)) {
            waking = true;
            wakeAtNs = nextNs;
            world.after(Math.max(1, nextNs - world.nowNs()), () -> wake(nextNs));
        }
    }

    private void wake(long atNs) {
        if (waking && wakeAtNs == atNs) {
            waking = false;
            link.onDeadline(world.nowNs());
            settle();
        }
    }
}
