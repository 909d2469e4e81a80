package io.verbena.tools.net;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.base.Failure;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.TcpCarrier;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena net up}: creates a network device. */
@Command(
        name = "up",
        customSynopsis = "verbena net up [OPTIONS] [NAME]",
        description = {
            "Create a network device for the TCP of this library, and print the commands of iproute2 that do it. If"
                    + " one fails, what was created is removed again.",
            "",
            "A TUN device carries IP packets and is the faster kind. A TAP device carries Ethernet frames, so it can"
                    + " also be a port of a bridge (ip link set NAME master BRIDGE).",
            "",
            "The device exists until 'verbena net down' or a restart, and serves one RNIC at a time.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena net up                                     verbena0, 10.77.0.1 for this system, 10.77.0.2 for"
                    + " the RNIC",
            "  verbena net up --user alice                        that alice may use without privileges",
            "  verbena net up verbena1 --address 10.77.1.1/24     a second one; with 'sysctl net.ipv4.ip_forward=1'",
            "                                                     an RNIC on each of them reaches the other",
            "  verbena net up --kind tap --address fd77::1/64     with IPv6: fd77::1 and fd77::2",
            "  verbena net up --namespace lab                     in a network namespace of its own",
            "  verbena net up --dry-run                           prints the commands only"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the device is up", "1:a command failed", "2:wrong arguments"})
public final class NetUpCommand extends FiguresCommand {

    private static final int LEAST_MTU = 576;
    private static final int LEAST_IPV6_MTU = 1280;
    private static final int MOST_MTU = 65_535;
    private static final int MOST_LAST_BYTE = 253;

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the device. Default: verbena0.")
    private String name = TcpCarrier.DEFAULT_DEVICE;

    @Option(names = "--kind", paramLabel = "KIND", description = "'tun' or 'tap'. Default: tun.")
    private String kind = "tun";

    @Option(
            names = "--address",
            paramLabel = "ADDRESS/BITS",
            description = "IPv4 or IPv6 address of this system on the device; an RNIC has the next one. Default:"
                    + " 10.77.0.1/24.")
    private String address = "10.77.0.1/24";

    @Option(names = "--mtu", paramLabel = "BYTES", description = "Size of the largest packet. Default: 1500.")
    private int mtu = 1500;

    @Option(names = "--user", paramLabel = "NAME", description = "User who may use the device. Default: root only.")
    private Optional<String> user = Optional.empty();

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "Create this network namespace, and the device in it.")
    private Optional<String> namespace = Optional.empty();

    @Option(names = "--dry-run", description = "Print the commands and run none.")
    private boolean dryRun;

    public NetUpCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(kind.equals("tun") || kind.equals("tap"), "--kind must be tun or tap, not '" + kind + "'");
        check(mtu >= LEAST_MTU && mtu <= MOST_MTU, "--mtu must be 576 to 65535, not " + mtu);
        if (address.indexOf(':') >= 0) {
            checkIpv6Address();
        } else {
            checkAddress();
        }
        DevicePlan plan = new DevicePlan(name, kind, address, mtu, user, namespace);
        DeviceCommands commands = new DeviceCommands(line -> terminal.say("+ " + line), dryRun);
        int done = 0;
        List<List<String>> all = plan.up();
        try {
            for (List<String> each : all) {
                commands.run(List.of(each));
                done++;
            }
        } catch (Failure e) {
            undo(plan, commands, done);
            throw e;
        }
        String options = "--tcp " + kind + (name.equals(TcpCarrier.DEFAULT_DEVICE) ? "" : " --device " + name);
        figures.put("device", name)
                .put("kind", kind)
                .put("systemAddress", address)
                .put("rnicAddress", plan.rnicAddress())
                .put("options", options);
        if (!json && !dryRun) {
            terminal.tell(
                    "The device " + name + " is up. An RNIC at " + plan.rnicAddress() + ", which this system reaches: "
                            + plan.beside("verbena ping --server -a " + plan.rnicAddress() + " " + options));
        }
        return true;
    }

    private void checkIpv6Address() throws UsageProblem {
        check(mtu >= LEAST_IPV6_MTU, "--mtu must be at least 1280 with IPv6, not " + mtu);
        String[] parts = address.split("/", 2);
        boolean formed = parts.length == 2 && parts[1].matches("[0-9]{1,3}") && isIpv6(parts[0]);
        check(formed, "--address must be an IP address with a prefix, such as fd77::1/64, not '" + address + "'");
        int bits = Integer.parseInt(parts[1]);
        check(bits >= 8 && bits <= 126, "--address must have a prefix of 8 to 126 bits, not " + bits);
        byte[] bytes = InetAddress.ofLiteral(parts[0]).getAddress();
        int last = bytes[bytes.length - 1] & 0xff;
        check(last >= 1 && last <= 254, "--address must end with 1 to fe, so that there is a next address: " + address);
    }

    /** Never a name to look up. */
    private static boolean isIpv6(String text) {
        try {
            return InetAddress.ofLiteral(text) instanceof Inet6Address each && !each.isMulticastAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void checkAddress() throws UsageProblem {
        boolean formed = address.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}/[0-9]{1,2}");
        check(formed, "--address must be an IPv4 address with a prefix, such as 10.77.0.1/24, not '" + address + "'");
        String[] parts = address.split("[./]", -1);
        for (int i = 0; i < 4; i++) {
            check(Integer.parseInt(parts[i]) <= 255, "--address has a byte of more than 255: " + address);
        }
        int bits = Integer.parseInt(parts[4]);
        int last = Integer.parseInt(parts[3]);
        check(bits >= 8 && bits <= 30, "--address must have a prefix of 8 to 30 bits, not " + bits);
        check(
                last >= 1 && last <= MOST_LAST_BYTE,
                "the last byte of --address must be 1 to 253, so that there is a next" + " address, not " + last);
    }

    /** Removes what the commands before the failed one have created. */
    private void undo(DevicePlan plan, DeviceCommands commands, int done) throws InterruptedException {
        boolean inNamespace = namespace.isPresent();
        int device = inNamespace ? 1 : 0;
        List<List<String>> down = plan.down();
        try {
            if (done > device) {
                commands.run(List.of(down.getFirst()));
            }
            if (inNamespace && done > 0) {
                commands.run(List.of(down.getLast()));
            }
        } catch (Failure e) {
            terminal.say(String.valueOf(e.getMessage()));
        }
    }
}
