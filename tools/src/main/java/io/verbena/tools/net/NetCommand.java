package io.verbena.tools.net;

import io.verbena.tools.command.CommonArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena net}: network devices for the TCP of the library. */
@Command(
        name = "net",
        description = {
            "Create and remove network devices for the TCP of this library, and forward packets as a bad network does.",
            "",
            "With --tcp tun or --tcp tap, an RNIC is a host of its own on a virtual link, and this system is the other end. Its"
                    + " TCP connects to any other TCP: that of this system, of a guest, or, if this system forwards packets, of"
                    + " other hosts.",
            ""
        },
        footerHeading = "%nExample, as root:%n",
        footer = {
            "  verbena net up                                      creates the TUN device verbena0",
            "  verbena ping --server --tcp tun -a 10.77.0.2 &",
            "  verbena ping 10.77.0.2 -V -C 10                     from the TCP of this system",
            "  verbena net down                                    removes it",
            "  verbena net impair tap:left tap:right -r 'loss 1%%'  a bad network between two TAP devices"
        },
        synopsisSubcommandLabel = "COMMAND")
public final class NetCommand {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();
}
