package io.verbena.tools;

import io.verbena.text.AddressText;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.ParentProcess;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.CommonArguments;
import io.verbena.tools.command.ConnectionArguments;
import io.verbena.tools.command.ExitCode;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.demo.DemoServer;
import io.verbena.tools.demo.Fault;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena demo-peer}: the server process of the demo. */
@Command(
        name = "demo-peer",
        hidden = true,
        description = {
            "The server process of 'verbena demo', which starts it. Not for direct use.",
            "Reads a token from standard input, prints its port on standard output, and ends when standard input does.",
            ""
        },
        sortOptions = false)
final class DemoPeerCommand implements Callable<Integer> {

    private final Terminal terminal;
    private final StopSignal stop;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();

    @Option(names = "--listen", required = true, description = "Listen at a free port of the loopback interface.")
    @SuppressWarnings("UnusedVariable") // there is nothing else that it could do
    private boolean listen;

    @Option(
            names = "--temp",
            paramLabel = "FOLDER",
            defaultValue = "${sys:java.io.tmpdir}",
            description = "Folder for temporary files.")
    private Path folder = Path.of(".");

    @Option(names = "--fault", defaultValue = "NONE", description = "Fault to inject: ${COMPLETION-CANDIDATES}.")
    private Fault fault = Fault.NONE;

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    DemoPeerCommand(Terminal terminal, StopSignal stop) {
        this.terminal = terminal;
        this.stop = stop;
    }

    @Override
    public Integer call() throws UsageProblem, Failure, IOException {
        byte[] token = ParentProcess.attach(stop);
        RnicOptions options = rnicArguments.options();
        DemoServer.Service service = new DemoServer.Service(options.progress(), connection.options(), folder, fault);
        try (Rnic rnic = Rnic.open(options);
                DemoServer server = new DemoServer(rnic, service, token, stop);
                Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            if (fault != Fault.SILENT) {
                terminal.out().println(AddressText.ofIp(listener.localAddress()));
                terminal.out().flush();
            }
            server.serve(listener);
        }
        if (stop.raised()) {
            throw new Failure("The client process ended or stopped the demo");
        }
        return ExitCode.OK;
    }
}
