package io.verbena.tools.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The commands of iproute2 that create and remove a network device.
 *
 * @param name of the device
 * @param kind tun or tap
 * @param address IPv4 address of the system with its prefix
 * @param mtu size of the largest packet
 * @param user who may use the device; empty for root only
 * @param namespace network namespace that contains it; empty for that of the caller
 */
public record DevicePlan(
        String name, String kind, String address, int mtu, Optional<String> user, Optional<String> namespace) {

    /** Packets that may wait in the device; the default of 500 is too few for a window of small packets. */
    private static final String QUEUE = "10000";

    /** The commands that create the device, in order. */
    public List<List<String>> up() {
        List<List<String>> commands = new ArrayList<>();
        namespace.ifPresent(each -> commands.add(List.of("ip", "netns", "add", each)));
        List<String> add = ip("tuntap", "add", "dev", name, "mode", kind);
        user.ifPresent(each -> add.addAll(List.of("user", each)));
        commands.add(add);
        commands.add(ip("address", "add", address, "dev", name));
        commands.add(ip("link", "set", name, "mtu", String.valueOf(mtu), "txqueuelen", QUEUE, "up"));
        namespace.ifPresent(_ -> commands.add(ip("link", "set", "lo", "up")));
        return commands;
    }

    /** The commands that remove it. */
    public List<List<String>> down() {
        List<List<String>> commands = new ArrayList<>();
        commands.add(ip("link", "delete", name));
        namespace.ifPresent(each -> commands.add(List.of("ip", "netns", "delete", each)));
        return commands;
    }

    private List<String> ip(String... words) {
        List<String> command = new ArrayList<>();
        command.add("ip");
        namespace.ifPresent(each -> command.addAll(List.of("-n", each)));
        command.addAll(List.of(words));
        return command;
    }

    /** The address that an RNIC on this device has by default. */
    public String rnicAddress() {
        String host = address.substring(0, address.indexOf('/'));
        int dot = host.lastIndexOf('.');
        return host.substring(0, dot + 1) + (Integer.parseInt(host.substring(dot + 1)) + 1);
    }

    /** How a command runs beside the device. */
    public String beside(String command) {
        return namespace.map(each -> "ip netns exec " + each + " " + command).orElse(command);
    }
}
