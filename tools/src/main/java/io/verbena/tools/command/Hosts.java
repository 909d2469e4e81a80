package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names of hosts. */
public final class Hosts {

    private Hosts() {}

    /** The first address of a name. */
    public static InetSocketAddress resolve(String name, int port) throws Failure {
        InetSocketAddress resolved = new InetSocketAddress(name, port);
        int percent = name.indexOf('%');
        if (percent >= 0 && resolved.isUnresolved()) {
            throw new Failure(
                    "Unknown host '" + name + "': the interface after the % must be one of this host: " + interfaces());
        }
        if (name.isBlank() || resolved.isUnresolved()) {
            throw new Failure("Unknown host '" + name + "': check the name, or use an IP address");
        }
        if (resolved.getAddress() instanceof Inet6Address ip && ip.isLinkLocalAddress() && ip.getScopeId() == 0) {
            throw new Failure("The address '" + name
                    + "' is valid on one link only: name the interface of the link after it," + " such as [" + name
                    + "%" + interfaces().split(",", -1)[0] + "]; this host has " + interfaces());
        }
        return resolved;
    }

    /** All addresses of a name, the one of {@link #resolve} first. */
    public static List<InetSocketAddress> resolveAll(String name, int port) throws Failure {
        InetSocketAddress first = resolve(name, port);
        try {
            return Stream.concat(
                            Stream.of(first),
                            Arrays.stream(InetAddress.getAllByName(name))
                                    .map(each -> new InetSocketAddress(each, port)))
                    .distinct()
                    .toList();
        } catch (UnknownHostException _) {
            return List.of(first); // the name has left meanwhile
        }
    }

    /** Names of the interfaces that are up; those that lead to other hosts first. */
    private static String interfaces() {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(Hosts::up)
                    .sorted(Comparator.comparing(Hosts::loopback).thenComparing(NetworkInterface::getName))
                    .map(NetworkInterface::getName)
                    .collect(Collectors.joining(", "));
        } catch (SocketException e) {
            return "none that can be listed";
        }
    }

    private static boolean up(NetworkInterface each) {
        try {
            return each.isUp();
        } catch (SocketException e) {
            return false; // it has just been removed
        }
    }

    private static boolean loopback(NetworkInterface each) {
        try {
            return each.isLoopback();
        } catch (SocketException e) {
            return false;
        }
    }

    /** The wildcard address. */
    public static InetAddress everyAddress() {
        return new InetSocketAddress(0).getAddress();
    }

    /** The local address from which a peer is reached. */
    public static InetAddress towards(InetSocketAddress peer) throws SocketException {
        try (DatagramSocket probe = new DatagramSocket()) {
            probe.connect(peer); // only asks the routing table
            return probe.getLocalAddress();
        }
    }
}
