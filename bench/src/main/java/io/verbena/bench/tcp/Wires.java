package io.verbena.bench.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The devices of a run, in network namespaces of its own, which disappear with the process:
 *
 * <pre>
 *   this namespace                                        namespace far
 *   10.98.0.1  veth ------------------------------------- veth  10.98.0.2
 *   10.77.0.1  verbena0 (TUN), the RNIC is 10.77.0.2
 *   10.78.0.1  verbena1 (TUN), the RNIC is 10.78.0.2      forwarding between all of them
 * </pre>
 */
final class Wires {

    static final String FAR = "10.98.0.2";
    static final String FIRST = "verbena0";
    static final String SECOND = "verbena1";
    static final String FIRST_SYSTEM = "10.77.0.1";
    static final String SECOND_RNIC = "10.78.0.2";

    private Wires() {}

    /** Creates them. The process is in namespaces of its own for the network and for mounts. */
    static void create() throws IOException, InterruptedException {
        run("ip link set lo up");
        run("mkdir -p /run/netns");
        run("mount -t tmpfs none /run/netns");
        run("ip netns add far");
        // Pacing (bbr) would measure the timers of a busy machine.
        run("sysctl -qw net.ipv4.tcp_congestion_control=reno");
        run("ip netns exec far sysctl -qw net.ipv4.tcp_congestion_control=reno");
        run("ip link add near type veth peer name far netns far");
        run("ip address add 10.98.0.1/24 dev near");
        run("ip link set near up");
        run("ip -n far address add 10.98.0.2/24 dev far");
        run("ip -n far link set far up");
        run("ip -n far link set lo up");
        device(FIRST, "10.77.0.1/24");
        device(SECOND, "10.78.0.1/24");
        run("sysctl -qw net.ipv4.ip_forward=1");
    }

    private static void device(String name, String address) throws IOException, InterruptedException {
        run("ip tuntap add dev " + name + " mode tun");
        run("ip address add " + address + " dev " + name);
        run("ip link set " + name + " txqueuelen 10000 up");
    }

    private static void run(String command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("the command '" + command + "' failed: " + output.strip());
        }
    }

    static InetSocketAddress far(int port) {
        return new InetSocketAddress(FAR, port);
    }

    static InetSocketAddress system(int port) {
        return new InetSocketAddress(FIRST_SYSTEM, port);
    }

    /** The command line of a Java program with the class path of this one, in the namespace far or in this one. */
    static List<String> java(boolean far, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (far) {
            command.addAll(List.of("ip", "netns", "exec", "far"));
        }
        command.addAll(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass));
        command.addAll(arguments);
        return command;
    }
}
