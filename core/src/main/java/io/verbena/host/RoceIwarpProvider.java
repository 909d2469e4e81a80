package io.verbena.host;

import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.ib.RoceCarrier;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import java.net.InetAddress;
import java.util.List;

/**
 * The software RNIC with iWARP over the TCP of the operating system, and with packets of RoCEv2 for the messages of
 * connections that survive their transport: when packets do not arrive any more, such a connection continues over
 * TCP. Its device is that of {@link RoceProvider}, or several of them after each other: a connection uses the packets
 * of the address that its TCP has, or of the first one.
 */
public final class RoceIwarpProvider implements RnicProvider {

    private static final String NAME = "roce+iwarp";

    private final RoceProvider roce = new RoceProvider();

    /** For {@link java.util.ServiceLoader}. */
    public RoceIwarpProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Software RNIC: iWARP over the TCP of the operating system. "
                + "Connections that survive their transport use RoCEv2 while its packets arrive.";
    }

    @Override
    public int priority() {
        return 40;
    }

    @Override
    public List<String> devices() {
        return roce.devices();
    }

    @Override
    public String deviceAt(InetAddress local) {
        return roce.deviceAt(local);
    }

    @Override
    public String deviceTowards(InetAddress peer) {
        return roce.deviceTowards(peer);
    }

    @Override
    public String obstacle() {
        return "";
    }

    @Override
    public RnicAttributes describe(RnicOptions options) {
        return SoftRnic.attributes(options, transport(List.of(InetAddress.getLoopbackAddress())));
    }

    private static IwarpTransport transport(List<InetAddress> addresses) {
        return new IwarpTransport(NAME, new RoceCarrier(addresses));
    }

    @Override
    public Rnic open(RnicOptions options) {
        return open(options, PacketFaults.none());
    }

    /**
     * Opens an RNIC with faults on every arriving packet, to test the reaction of an application.
     *
     * @throws VerbsException if an option cannot be satisfied, for example an address that another RNIC has
     */
    public Rnic open(RnicOptions options, PacketFaults faults) {
        HostEnvironment.checkProvider(options, name());
        return RoceProvider.open(options, (fitting, addresses) -> {
            HostEnvironment environment = new HostEnvironment(fitting, FaultPlan.none(), faults);
            return environment.open(() -> new SocketRnic(environment, fitting, transport(addresses)));
        });
    }
}
