package io.verbena.tools.fabric.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.ibsim.ControlMessage;
import io.verbena.fabric.ibsim.DatagramMessage;
import io.verbena.fabric.ibsim.IbsimServer;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.NetDiscoverWriter;
import io.verbena.fabric.topology.Shapes;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.tools.CliRun;
import io.verbena.tools.base.Failure;
import io.verbena.tools.fabric.FabricConsole;
import io.verbena.tools.fabric.FabricServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code verbena fabric}: routes, the sockets of serve, and its console. */
class FabricCommandTest {

    @Test
    void routes_ofARing_withMinhop_findTheCreditLoop() {
        CliRun run = CliRun.of("fabric", "routes", "ring:6", "--routing", "minhop");
        assertEquals(1, run.code());
        assertTrue(run.out().contains("Credit loop of 6 lanes: s-0:1 VL0 -> s-1:1 VL0"), run.out());
    }

    @Test
    void routes_ofAFile_areDumped(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("subnet.txt"), NetDiscoverWriter.write(Shapes.machineRoom()));
        CliRun run = CliRun.of("fabric", "routes", file.toString(), "--dump", directory.toString(), "--json");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\"loop\":false") || run.out().contains("\"loop\": false"), run.out());
        assertTrue(Files.readString(directory.resolve("subnet.lst")).startsWith("{ SW Ports:10 "));
        assertTrue(Files.readString(directory.resolve("routes.fdbs")).contains("0x0001 : 0"));
    }

    @Test
    void topology_thatDoesNotExist_isAWrongArgument() {
        CliRun run = CliRun.of("fabric", "serve", "star:5");
        assertEquals(2, run.code());
        assertTrue(run.err().contains("'star:5' names no topology"), run.err());
        assertEquals(1, CliRun.of("fabric", "routes", "no/such/file").code());
        assertEquals(2, CliRun.of("fabric", "routes", "ring:3", "--lmc", "8").code());
        assertEquals(
                2, CliRun.of("fabric", "serve", "ring:3", "--port", "65535").code());
    }

    @Test
    void console_changesTheFabric_andExplainsMistakes() {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("ring:3"));
        FabricConsole console = new FabricConsole(fabric, new IbsimServer(fabric), Optional.empty());
        assertEquals(List.of("The fabric has no traffic: start it with --traffic PATTERN"), console.execute("traffic"));
        assertEquals(
                List.of("The cable between port 1 of 's-0' and port 2 of 's-1' is unplugged"),
                console.execute("down s-0 1"));
        assertTrue(!fabric.connected(fabric.topology().cableAt(0, 1)));
        assertEquals(List.of("'h1 sanic-1' is switched off"), console.execute(" down  h1 sanic-1 "));
        console.execute("up s-0 1");
        assertTrue(fabric.connected(fabric.topology().cableAt(0, 1)));
        assertEquals(List.of("Port 3 of 'h0 sanic-1' has no cable"), console.execute("down h0 sanic-1 3"));
        assertTrue(console.execute("down nowhere 1").getFirst().startsWith("There is no node 'nowhere 1'"));
        assertEquals(List.of("Unknown command: 'dance'; 'help' lists the commands"), console.execute("dance"));
        assertEquals(
                List.of("'h2 sanic-1' has no LID yet: no subnet manager has assigned one"),
                console.execute("path h0 sanic-1 to h2 sanic-1"));
        assertTrue(console.execute("state").getFirst().startsWith("5 of 6 nodes work; 5 of 6 links are up"));
        assertEquals(List.of(), console.execute(""));
    }

    @Test
    void client_overUdp_isAttachedAndAnswered() throws Exception {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("ring:3"));
        IbsimServer server = new IbsimServer(fabric);
        int port = freePorts();
        try (FabricServer sockets = new FabricServer(server, port);
                DatagramSocket control = socket();
                DatagramSocket data = socket()) {
            byte[] bytes = new byte[ControlMessage.LENGTH];
            ControlMessage message = new ControlMessage()
                    .wrap(MemorySegment.ofArray(bytes), 0)
                    .header(0, ControlMessage.Type.CONNECT, 44)
                    .data(0, data.getLocalPort());
            exchange(sockets, control, port, bytes);
            assertEquals("h0 sanic-1", message.nodeName());
            byte[] request = new byte[DatagramMessage.LENGTH];
            exchange(sockets, data, port + 1, request);
            int status = new DatagramMessage()
                    .wrap(MemorySegment.ofArray(request), 0)
                    .status();
            assertEquals(DatagramMessage.TIMED_OUT, status);
        }
    }

    @Test
    void serve_atAPortInUse_failsWithASentence() throws Exception {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("ring:3"));
        try (DatagramSocket taken = socket()) {
            int port = taken.getLocalPort() - 1;
            String problem = "";
            try (FabricServer sockets = new FabricServer(new IbsimServer(fabric), port)) {
                sockets.wakeup();
            } catch (Failure e) {
                problem = String.valueOf(e.getMessage());
            }
            assertTrue(problem.contains("choose others with --port"), problem);
        }
    }

    private static DatagramSocket socket() throws IOException {
        DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.setSoTimeout(10_000);
        return socket;
    }

    /** The first of as many free ports as a server uses, at the moment. */
    private static int freePorts() throws Exception {
        ManagedFabric fabric = new ManagedFabric(TopologySpecification.parse("ring:3"));
        for (int port = 20_000; port < 60_000; port += 100) {
            try (FabricServer sockets = new FabricServer(new IbsimServer(fabric), port)) {
                sockets.wakeup();
                return port;
            } catch (Failure e) {
                assertTrue(String.valueOf(e.getMessage()).contains("UDP port"));
            }
        }
        throw new AssertionError("no free ports");
    }

    private static void exchange(FabricServer sockets, DatagramSocket socket, int port, byte[] bytes)
            throws IOException {
        socket.send(new DatagramPacket(bytes, bytes.length, InetAddress.getLoopbackAddress(), port));
        sockets.turn(5_000_000_000L);
        socket.receive(new DatagramPacket(bytes, bytes.length));
    }
}
