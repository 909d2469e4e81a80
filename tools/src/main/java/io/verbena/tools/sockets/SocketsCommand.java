package io.verbena.tools.sockets;

import io.verbena.tools.command.CommonArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena sockets}: programs that use NIO channels, over RDMA. */
@Command(
        name = "sockets",
        description = {
            "Run programs that use NIO channels over RDMA, without a change, and watch their connections; carry the"
                    + " connections of all other programs over RDMA by a proxy.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena sockets run --rdma 'db-*:9092' -- java -jar service.jar",
            "  verbena sockets proxy --listen 127.0.0.1:8080 --to rdma:192.0.2.7:7000",
            "  verbena sockets top                                   the connections of all such programs"
        },
        synopsisSubcommandLabel = "run|proxy|top")
public final class SocketsCommand {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();
}
