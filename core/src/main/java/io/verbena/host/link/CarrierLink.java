package io.verbena.host.link;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.epoll.FrameDevice;
import io.verbena.host.epoll.FramePort;
import io.verbena.host.epoll.PacketSocket;
import io.verbena.host.epoll.TunDevice;
import io.verbena.host.system.Sentences;
import io.verbena.host.system.SystemInterface;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.util.Optional;

/**
 * The link that the options name, and the address of the RNIC on it.
 *
 * @param port the link
 * @param address of the RNIC
 * @param attachment gives the link to its owner
 * @param serve what happens before each turn of the engine
 */
record CarrierLink(LinkPort port, LinkAddress address, Attachment attachment, Runnable serve) {

    /** Gives a link to its owner, to which it reports from then on. */
    @FunctionalInterface
    interface Attachment {
        void to(LinkEvents owner) throws IOException;
    }

    /**
     * Opens the link.
     *
     * @param large whether large segments are wanted
     * @throws VerbsException if it cannot be opened, with what to do
     */
    static CarrierLink open(EngineLoop loop, RnicOptions options, boolean large) {
        TcpCarrier carrier = options.iwarp().tcp();
        try {
            return carrier == TcpCarrier.QEMU ? unix(loop, options) : device(loop, options, large);
        } catch (IOException e) {
            throw new VerbsException("The TCP of the library cannot be used: " + Sentences.reason(e), e);
        } catch (IllegalArgumentException e) {
            throw new VerbsException("The setting " + TcpCarrier.ADDRESS_SETTING + ": " + e.getMessage() + ".", e);
        }
    }

    private static CarrierLink unix(EngineLoop loop, RnicOptions options) throws IOException {
        LinkAddress address = ownAddress(options);
        if (options.device().isEmpty()) {
            throw new IOException(
                    "no Unix socket is named: --device PATH connects to one, and --device listen:PATH listens");
        }
        UnixLink link = new UnixLink(new UnixPeers(options.device(), loop::wakeup));
        return new CarrierLink(link, address, link::attach, link::serve);
    }

    private static CarrierLink device(EngineLoop loop, RnicOptions options, boolean large) throws IOException {
        if (!(loop instanceof EpollLoop epoll)) {
            throw new IOException("a network device needs direct system calls. " + EpollLoop.obstacle());
        }
        TcpCarrier carrier = options.iwarp().tcp();
        if (carrier == TcpCarrier.PACKET) {
            LinkAddress address = ownAddress(options);
            if (options.device().isEmpty()) {
                throw new IOException("no network interface is named: state it with --device, such as --device eth0");
            }
            return link(epoll, new PacketSocket(options.device(), large), address);
        }
        String name = options.device().isEmpty() ? TcpCarrier.DEFAULT_DEVICE : options.device();
        TunDevice device = new TunDevice(name, carrier == TcpCarrier.TAP, large);
        boolean opened = false;
        try {
            CarrierLink carrierLink = link(epoll, device, address(device.system(), options));
            opened = true;
            return carrierLink;
        } finally {
            if (!opened) {
                device.close();
            }
        }
    }

    private static CarrierLink link(EpollLoop loop, FrameDevice device, LinkAddress address) {
        FramePort port = new FramePort(loop, device);
        return new CarrierLink(port, address, port::attach, () -> {});
    }

    /** The address next to that of the system, or the one in the options. */
    private static LinkAddress address(SystemInterface system, RnicOptions options) throws IOException {
        String chosen = setting(options, TcpCarrier.ADDRESS_SETTING);
        if (!chosen.isEmpty()) {
            // A device that is a port of a bridge has no address: the other hosts are on the bridge.
            Optional<InterfaceAddress> other = system.address(LinkAddress.isIpv6(chosen));
            return other.isPresent() ? LinkAddress.parse(chosen, other.get().getAddress()) : LinkAddress.parse(chosen);
        }
        boolean ipv6 = system.address(false).isEmpty() && system.address(true).isPresent();
        InetAddress other = system.otherEnd(ipv6);
        int bits = system.address(ipv6).orElseThrow().getNetworkPrefixLength();
        return LinkAddress.after(other, bits);
    }

    /** An address on a link whose other hosts are not known. */
    private static LinkAddress ownAddress(RnicOptions options) throws IOException {
        String chosen = setting(options, TcpCarrier.ADDRESS_SETTING);
        if (chosen.isEmpty()) {
            throw new IOException(
                    "the RNIC has no address on the link: state one that no other host has, with --tcp-address"
                            + " or the setting " + TcpCarrier.ADDRESS_SETTING + ", such as 10.77.0.2/24 or fd77::2/64");
        }
        return LinkAddress.parse(chosen);
    }

    private static String setting(RnicOptions options, String name) {
        return options.settings().getOrDefault(name, "");
    }
}
