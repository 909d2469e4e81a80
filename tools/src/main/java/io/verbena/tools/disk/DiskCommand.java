package io.verbena.tools.disk;

import io.verbena.tools.command.CommonArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena disk}: disks over RDMA. */
@Command(
        name = "disk",
        description = {
            "Serve files as disks over RDMA (NVMe over Fabrics), which Linux mounts without additional software, change a"
                    + " running server, and use the disks of such a server or of Linux.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena disk serve disk.img:10G       serve a file, port 4420",
            "  verbena disk list                     the disks and hosts of running servers",
            "  verbena disk add more.img:1G          one disk more, while hosts are connected",
            "  verbena disk read 192.0.2.7 copy.img  copy a disk into a file"
        },
        synopsisSubcommandLabel = "serve|add|remove|resize|list|discover|connect|read|write|bench")
public final class DiskCommand {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();
}
