package io.verbena.tools.command;

import io.verbena.port.capture.CaptureLimits;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TcpCarrier;
import io.verbena.verbs.TransportType;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of an RNIC, the same for every command that opens one. */
public final class RnicArguments {

    @Option(
            names = "--provider",
            paramLabel = "NAME[:DEVICE]",
            defaultValue = "",
            description =
                    "Kind of RNIC; 'verbena info' lists them. A device may follow, as in ibverbs:mlx5_0. Default: auto, which uses shared memory between"
                            + " processes of this host and TCP otherwise; iwarp uses TCP only, and shm shared memory only.")
    private String provider = "";

    @Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = "",
            description =
                    "Device of the provider: for roce, a local IP address; for ibverbs, the name of an adapter; with --tcp tun, tap or packet, the name of"
                            + " the network device; with --tcp qemu, the path of the socket, after 'listen:' to listen."
                            + " Default: the one that fits the address of the command, and verbena0.")
    private String device = "";

    @Option(
            names = "--inline",
            description = "The calling thread drives the RNIC while it posts, polls or waits: lowest latency.")
    private boolean inline;

    @Option(
            names = "--engine-thread",
            description = "A separate thread drives the RNIC while the program computes. This is the default.")
    private boolean engineThread;

    @Option(
            names = "--engines",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of engine threads, which share the connections. Default: ${DEFAULT-VALUE}.")
    private int engines = 1;

    @Option(names = "--crc", description = "Request a checksum (CRC32C) on every frame.")
    private boolean crc;

    @Option(
            names = "--markers",
            description =
                    "Request MPA markers in what the peer sends. Wireshark and tshark fail to decode some frames with"
                            + " markers.")
    private boolean markers;

    @Option(
            names = "--guess-starts",
            description =
                    "With --crc and a TCP of this library: a Write after a gap in the stream is placed if its segment"
                            + " looks like the start of a frame, for peers that send no markers. A wrong guess is taken"
                            + " back, but may have changed memory that the peer may write.")
    private boolean guesses;

    @Option(
            names = "--direct",
            description =
                    "Through shared memory: access memory of a peer that also has this option without its engine, and"
                            + " let it access this side's. Only for programs of one user that trust each other.")
    private boolean direct;

    @Option(
            names = "--fpdu",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Maximum payload of a frame, 64 to 64750; 1424 fits one TCP segment on most networks.")
    private Optional<Long> fpduBytes = Optional.empty();

    @Option(
            names = "--socket-buffer",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Requested size of socket buffers. Default: the system's choice.")
    private Optional<Long> socketBufferBytes = Optional.empty();

    @Option(
            names = "--tcp",
            paramLabel = "KIND",
            defaultValue = "kernel",
            description = "TCP of iWARP: 'kernel', or the TCP of this library, which places segments that arrive out"
                    + " of order at once: 'udp' in UDP packets, if both sides use it; 'tun' or 'tap' through a network"
                    + " device ('verbena net' creates one), to any peer; 'packet' as a station on a network interface;"
                    + " 'qemu' over the Unix socket of QEMU or passt. Default: ${DEFAULT-VALUE}.")
    private TcpCarrier tcp = TcpCarrier.KERNEL;

    @Option(
            names = "--tcp-address",
            paramLabel = "ADDRESS/BITS",
            defaultValue = "",
            description = "IPv4 or IPv6 address of the RNIC on the network device, such as 10.77.0.2/24 or fd77::2/64."
                    + " Default: the one after that of the system.")
    private String tcpAddress = "";

    @Option(
            names = "--capture",
            paramLabel = "FILE",
            description = "Record the packets in a file (pcapng) for Wireshark or tshark.")
    private Optional<Path> captureFile = Optional.empty();

    @Option(
            names = "--capture-limit",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Maximum size of the capture file, at which the capture ends; 0 for no limit. Default: 1G.")
    private Optional<Long> captureLimitBytes = Optional.empty();

    @Option(
            names = "--capture-snap",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description =
                    "Maximum number of bytes kept of each packet, 64 or more. Default: all. 128 keeps the headers and"
                            + " makes the capture cheap.")
    private Optional<Long> captureSnapBytes = Optional.empty();

    /** Options of an RNIC that listens at this address: with its device, unless they name one. */
    public static RnicOptions at(RnicOptions options, InetSocketAddress local) {
        return options.device().isEmpty()
                ? options.withDevice(RnicProvider.named(options.provider()).deviceAt(local.getAddress()))
                : options;
    }

    /** Options of an RNIC that connects to this address: with a device that reaches it, unless they name one. */
    public static RnicOptions towards(RnicOptions options, InetSocketAddress peer) {
        return options.device().isEmpty()
                ? options.withDevice(RnicProvider.named(options.provider()).deviceTowards(peer.getAddress()))
                : options;
    }

    /**
     * The options of the RNIC.
     *
     * @throws io.verbena.verbs.VerbsException if there is no such provider
     */
    public RnicOptions options() throws UsageProblem, Failure {
        if (inline && engineThread) {
            throw new UsageProblem("Give either --inline or --engine-thread, not both");
        }
        if (inline && engines != 1) {
            throw new UsageProblem(
                    "--engines applies to engine threads, and --inline has none; leave one of the two out");
        }
        RnicProvider chosen = RnicProvider.named(provider);
        RnicOptions named = RnicProvider.withDefaultDevice(
                RnicOptions.defaults().withProvider(provider).withDevice(device));
        if (chosen.obstacle().isEmpty() && chosen.describe(named).transport() == TransportType.ROCE_V2) {
            checkOnlyIwarp();
        }
        RnicOptions options = named.withCrc(crc)
                .withMarkers(markers)
                .withIwarp(iwarp -> iwarp.withGuesses(guesses).withDirect(direct));
        try {
            options = options.withProgress(inline ? Progress.INLINE : Progress.ENGINE_THREAD)
                    .withEngines(engines)
                    .withIwarp(it -> it.withTcp(tcp));
            if (fpduBytes.isPresent()) {
                options = options.withIwarp(it -> it.withMaxFpduPayloadBytes(asInt(fpduBytes.get())));
            }
            if (socketBufferBytes.isPresent()) {
                options = options.withIwarp(it -> it.withSocketBufferBytes(asInt(socketBufferBytes.get())));
            }
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        if (!tcpAddress.isEmpty()) {
            Map<String, String> settings = new HashMap<>(options.settings());
            settings.put(TcpCarrier.ADDRESS_SETTING, tcpAddress);
            options = options.withSettings(settings);
        }
        return captureFile.isPresent() ? withCapture(options, captureFile.get()) : withoutCapture(options);
    }

    private void checkOnlyIwarp() throws UsageProblem {
        List<String> given = new ArrayList<>();
        if (tcp != TcpCarrier.KERNEL || !tcpAddress.isEmpty()) {
            given.add("--tcp");
        }
        if (crc) {
            given.add("--crc");
        }
        if (markers) {
            given.add("--markers");
        }
        if (guesses) {
            given.add("--guess-starts");
        }
        if (direct) {
            given.add("--direct");
        }
        if (fpduBytes.isPresent()) {
            given.add("--fpdu");
        }
        UsageProblem.check(
                given.isEmpty(),
                "The provider " + provider + " sends over UDP, to which " + String.join(", ", given)
                        + " does not apply: leave the option out, or use --provider iwarp");
    }

    private RnicOptions withCapture(RnicOptions options, Path file) throws UsageProblem, Failure {
        Map<String, String> settings = new HashMap<>(options.settings());
        captureLimitBytes.ifPresent(bytes -> settings.put(CaptureLimits.FILE_SETTING, bytes.toString()));
        captureSnapBytes.ifPresent(bytes -> settings.put(CaptureLimits.SNAP_SETTING, bytes.toString()));
        try {
            CaptureLimits.of(settings);
        } catch (CaptureLimits.InvalidSetting e) {
            // The options have the names of the settings.
            throw new UsageProblem("--" + e.setting() + " " + e.complaint());
        }
        return options.withCaptureFile(CaptureFile.checked(file)).withSettings(settings);
    }

    private RnicOptions withoutCapture(RnicOptions options) throws UsageProblem {
        if (captureLimitBytes.isPresent() || captureSnapBytes.isPresent()) {
            throw new UsageProblem("--capture-limit and --capture-snap need --capture FILE");
        }
        return options;
    }

    /** Whether the progress mode was chosen on the command line; otherwise {@link #options} has the default. */
    public boolean progressChosen() {
        return inline || engineThread || engines != 1;
    }

    /** The same options for another process of this program, without the capture, since one end sees all frames. */
    public List<String> forPeerProcess() {
        List<String> arguments = new ArrayList<>();
        if (!provider.isEmpty()) {
            arguments.addAll(List.of("--provider", provider));
        }
        if (inline) {
            arguments.add("--inline");
        }
        arguments.addAll(List.of("--engines", String.valueOf(engines)));
        if (crc) {
            arguments.add("--crc");
        }
        if (markers) {
            arguments.add("--markers");
        }
        if (guesses) {
            arguments.add("--guess-starts");
        }
        if (direct) {
            arguments.add("--direct");
        }
        if (tcp != TcpCarrier.KERNEL) {
            arguments.addAll(List.of("--tcp", tcp.name().toLowerCase(Locale.ROOT)));
        }
        fpduBytes.ifPresent(bytes -> arguments.addAll(List.of("--fpdu", bytes.toString())));
        socketBufferBytes.ifPresent(bytes -> arguments.addAll(List.of("--socket-buffer", bytes.toString())));
        return arguments;
    }

    private static int asInt(long value) {
        return (int) Math.min(value, Integer.MAX_VALUE);
    }
}
