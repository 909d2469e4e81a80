import io.verbena.host.TcpThread;
import io.verbena.port.faults.PacketFaults;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The TCP of Verbena on the wire of a QEMU guest: {@code GuestEcho SOCKET OUR-ADDRESS/BITS GUEST-ADDRESS PORT BYTES COMMAND...}. It
 * connects to an echo service of the guest at PORT. Then it listens at the next port, to which the command must connect an echo. Each
 * time it sends BYTES and checks those that return.
 */
final class GuestEcho {

    private final TcpThread tcp;
    private final TcpPeers peers;
    private final InetAddress own;
    private final InetAddress guest;

    private GuestEcho(TcpThread tcp, InetAddress own, InetAddress guest) {
        this.tcp = tcp;
        this.own = own;
        this.guest = guest;
        this.peers = new TcpPeers(tcp, guest, own);
    }

    public static void main(String[] arguments) throws Exception {
        String address = arguments[1].substring(0, arguments[1].indexOf('/'));
        RnicOptions options = RnicOptions.defaults()
                .withDevice(arguments[0])
                .withIwarp(it -> it.withTcp(TcpCarrier.QEMU))
                .withSettings(Map.of(TcpCarrier.ADDRESS_SETTING, arguments[1]));
        int port = Integer.parseInt(arguments[3]);
        long bytes = Long.parseLong(arguments[4]);
        List<String> command = List.of(arguments).subList(5, arguments.length);
        try (TcpThread tcp = new TcpThread(options, PacketFaults.none())) {
            GuestEcho run = new GuestEcho(tcp, InetAddress.getByName(address), InetAddress.getByName(arguments[2]));
            String out = run.toGuest(port, bytes);
            String in = run.fromGuest(port + 1, bytes, command);
            System.out.println("echo of " + bytes + " bytes: " + out + " to the guest, " + in + " from the guest");
        }
    }

    private String toGuest(int port, long bytes) throws Exception {
        long startNs = System.nanoTime();
        TcpPeers.End end = peers.new End(bytes, bytes);
        tcp.run(() -> tcp.streams().connect(new InetSocketAddress(guest, port), end));
        end.done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        return rate(bytes, startNs);
    }

    private String fromGuest(int port, long bytes, List<String> command) throws Exception {
        CompletableFuture<TcpPeers.End> accepted = new CompletableFuture<>();
        StreamLoop.Acceptor acceptor = tcp.streams().listen(new InetSocketAddress(own, port), 4, stream -> {
            TcpPeers.End end = peers.new End(bytes, bytes);
            end.begin(stream);
            accepted.complete(end);
        });
        long startNs = System.nanoTime();
        Process process = new ProcessBuilder(command).inheritIO().start();
        accepted.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS).done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        TcpPeers.check(process.waitFor(TcpPeers.PATIENCE_S, TimeUnit.SECONDS), "the command does not end");
        acceptor.close();
        return rate(bytes, startNs);
    }

    private static String rate(long bytes, long startNs) {
        return String.format(Locale.ROOT, "%.1f MB/s", bytes * 1e3 / (System.nanoTime() - startNs));
    }
}
