package io.verbena.bench.connections;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A second JVM that serves: its first line of output is the port it listens at, and its IP address unless it listens at that of the
 * loopback interface. It ends when its input does, or by force.
 */
final class OtherProcess implements AutoCloseable {

    private static final String PROVIDER = "io.verbena.provider";

    private final Process process;
    private final InetSocketAddress address;

    private OtherProcess(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    static OtherProcess start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UseSerialGC", "-Xmx512m", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        String provider = System.getProperty(PROVIDER, "");
        if (!provider.isEmpty()) {
            command.add("-D" + PROVIDER + "=" + provider);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        String line = out.readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException("the other process did not say its port");
        }
        String[] parts = line.strip().split(" ", -1);
        InetAddress host = parts.length > 1 ? InetAddress.ofLiteral(parts[1]) : InetAddress.getLoopbackAddress();
        return new OtherProcess(process, new InetSocketAddress(host, Integer.parseInt(parts[0])));
    }

    InetSocketAddress address() {
        return address;
    }

    int port() {
        return address.getPort();
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: no line of its own runs any more. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.destroy();
    }
}
