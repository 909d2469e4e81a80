package io.verbena.tools.net;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The commands of iproute2 that create and remove a network device.
 *
 * @param name of the device
 * @param kind tun or tap
 * @param address IPv4 or IPv6 address of the system with its prefix
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
        List<String> give = ip("address", "add", address, "dev", name);
        if (ipv6()) {
            give.add("nodad"); // otherwise the system does not use it for a second
        }
        commands.add(give);
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

    private boolean ipv6() {
        return address.indexOf(':') >= 0;
    }

    /** In the usual notation: the longest sequence of zeros is omitted (RFC 5952 section 4). */
    private static String address(byte[] bytes) {
        StringBuilder full = new StringBuilder();
        for (int i = 0; i < bytes.length; i += 2) {
            full.append(i == 0 ? "" : ":").append(Integer.toHexString((bytes[i] & 0xff) << 8 | bytes[i + 1] & 0xff));
        }
        for (int zeros = 8; zeros > 1; zeros--) {
            String run = "0" + ":0".repeat(zeros - 1);
            String all = ":" + full + ":";
            int at = all.indexOf(":" + run + ":");
            if (at >= 0) {
                String before = all.substring(0, at).replaceFirst("^:", "");
                String after = all.substring(at + run.length() + 2).replaceFirst(":$", "");
                return before + "::" + after;
            }
        }
        return full.toString();
    }

    /** The address that an RNIC on this device has by default. */
    public String rnicAddress() {
        String host = address.substring(0, address.indexOf('/'));
        if (ipv6()) {
            byte[] bytes = InetAddress.ofLiteral(host).getAddress();
            bytes[bytes.length - 1]++;
            return address(bytes);
        }
        int dot = host.lastIndexOf('.');
        return host.substring(0, dot + 1) + (Integer.parseInt(host.substring(dot + 1)) + 1);
    }

    /** How a command runs beside the device. */
    public String beside(String command) {
        return namespace.map(each -> "ip netns exec " + each + " " + command).orElse(command);
    }
}
