package io.verbena.messaging;

import io.verbena.verbs.Rnic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How ranks that are processes find each other: over TCP, each tells a server its rank and where it listens, and is told where
 * all of them are. The server is the launcher, or rank 0.
 *
 * <pre>
 *   rank    -> VERBENA1 RANK SIZE HOST PORT
 *   server  -> JOB in hexadecimal, then a line HOST PORT for each rank; or ERROR and a sentence
 * </pre>
 */
public final class Bootstrap {

    /** Where the server is: host:port. */
    public static final String ADDRESS = "VERBENA_BOOTSTRAP";

    public static final String RANK = "VERBENA_RANK";
    public static final String SIZE = "VERBENA_SIZE";

    private static final String OPEN_MPI_RANK = "OMPI_COMM_WORLD_RANK";
    private static final String OPEN_MPI_SIZE = "OMPI_COMM_WORLD_SIZE";

    private static final int TIMEOUT_MS = 60_000;
    private static final int RETRY_MS = 50;
    private static final int MAX_RANKS = 65_536;
    private static final String HELLO = "VERBENA1";

    private Bootstrap() {}

    /** What the server told. */
    private record Job(long number, List<SocketAddress> addresses) {}

    static Communicator join(MessagingOptions options, Map<String, String> environment) throws IOException {
        boolean launched = environment.containsKey(RANK);
        Optional<Integer> rank = number(environment, launched ? RANK : OPEN_MPI_RANK);
        Optional<Integer> size = number(environment, launched ? SIZE : OPEN_MPI_SIZE);
        if (rank.isEmpty() || size.isEmpty()) {
            return alone(options);
        }
        int mine = rank.get();
        int all = size.get();
        if (all < 1 || all > MAX_RANKS || mine < 0 || mine >= all) {
            throw new IOException("Rank " + mine + " of " + all + " cannot be.");
        }
        if (all == 1) {
            return alone(options);
        }
        InetSocketAddress server = address(environment.getOrDefault(ADDRESS, ""));
        if (mine == 0 && !launched) {
            serve(server, all);
        }
        return join(options, mine, all, server);
    }

    private static Communicator alone(MessagingOptions options) {
        Rnic rnic = Rnic.open(options.rnic());
        Transport transport = new Transport(0, 1, rnic, options, System::nanoTime, new SecureRandom());
        return new Communicator(0, 1, rnic, transport, options);
    }

    private static Communicator join(MessagingOptions options, int rank, int size, InetSocketAddress server)
            throws IOException {
        Rnic rnic = Rnic.open(options.rnic());
        try (Socket socket = connect(server)) {
            Transport transport = new Transport(rank, size, rnic, options, System::nanoTime, new SecureRandom());
            // The address that leads to the server leads to the others too.
            InetSocketAddress listening =
                    (InetSocketAddress) transport.endpoint().listen(new InetSocketAddress(socket.getLocalAddress(), 0));
            Job job = exchange(socket, rank, size, listening);
            transport.members().join(job.addresses(), job.number());
            return new Communicator(rank, size, rnic, transport, options);
        } catch (IOException | RuntimeException e) {
            rnic.close();
            throw e;
        }
    }

    /** The server may not be there yet. */
    private static Socket connect(InetSocketAddress server) throws IOException {
        long startNs = System.nanoTime();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(server, TIMEOUT_MS);
                socket.setSoTimeout(TIMEOUT_MS);
                return socket;
            } catch (ConnectException e) {
                socket.close();
                if (System.nanoTime() - startNs > TIMEOUT_MS * 1_000_000L) {
                    throw new IOException(
                            "Nobody answers at " + server + ", where " + ADDRESS + " says that ranks meet.", e);
                }
                pause();
            }
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The start was interrupted.", e);
        }
    }

    private static Job exchange(Socket socket, int rank, int size, InetSocketAddress listening) throws IOException {
        Writer out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII);
        out.write(HELLO + " " + rank + " " + size + " " + listening.getAddress().getHostAddress() + " "
                + listening.getPort() + "\n");
        out.flush();
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String first = line(in);
        if (first.startsWith("ERROR ")) {
            throw new IOException(first.substring(6));
        }
        List<SocketAddress> addresses = new ArrayList<>();
        try {
            long job = Long.parseUnsignedLong(first, 16);
            for (int i = 0; i < size; i++) {
                String[] words = line(in).split(" ");
                addresses.add(new InetSocketAddress(InetAddress.getByName(words[0]), Integer.parseInt(words[1])));
            }
            return new Job(job, addresses);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IOException("The server at " + ADDRESS + " does not speak this protocol.", e);
        }
    }

    private static String line(BufferedReader in) throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("The job ended before all ranks had started.");
        }
        return line;
    }

    /** Serves in a thread of its own until all ranks have been told; answers where. */
    public static InetSocketAddress serve(InetSocketAddress at, int size) throws IOException {
        ServerSocket server = new ServerSocket();
        server.bind(at, size);
        server.setSoTimeout(TIMEOUT_MS);
        Thread.ofPlatform().name("verbena-bootstrap").daemon().start(() -> {
            try (server) {
                meet(server, size);
            } catch (IOException e) {
                // The ranks that came see their sockets close, and say so; nobody else waits for this.
            }
        });
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private static void meet(ServerSocket server, int size) throws IOException {
        String[] addresses = new String[size];
        Socket[] sockets = new Socket[size];
        try {
            for (int come = 0; come < size; ) {
                Socket socket = server.accept();
                socket.setSoTimeout(TIMEOUT_MS);
                String problem = welcome(socket, addresses, sockets);
                if (problem.isEmpty()) {
                    come++;
                } else {
                    answer(socket, "ERROR " + problem + "\n");
                    socket.close();
                }
            }
            StringBuilder all = new StringBuilder(Long.toHexString(new SecureRandom().nextLong())).append('\n');
            for (String address : addresses) {
                all.append(address).append('\n');
            }
            for (Socket socket : sockets) {
                answer(socket, all.toString());
            }
        } finally {
            for (Socket socket : sockets) {
                if (socket != null) {
                    socket.close();
                }
            }
        }
    }

    private static String welcome(Socket socket, String[] addresses, Socket[] sockets) {
        try {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String[] words = line(in).split(" ");
            int rank = Integer.parseInt(words[1]);
            if (!words[0].equals(HELLO) || Integer.parseInt(words[2]) != addresses.length) {
                return "This job has " + addresses.length + " ranks.";
            }
            if (rank < 0 || rank >= addresses.length || sockets[rank] != null) {
                return "Rank " + rank + " is taken or does not exist.";
            }
            addresses[rank] = words[3] + " " + Integer.parseInt(words[4]);
            sockets[rank] = socket;
            return "";
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return "This is where ranks of a job meet.";
        }
    }

    private static void answer(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private static Optional<Integer> number(Map<String, String> environment, String name) throws IOException {
        String value = environment.get(name);
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Integer.parseInt(value));
        } catch (NumberFormatException e) {
            throw new IOException(name + " must be a number, not '" + value + "'.", e);
        }
    }

    private static InetSocketAddress address(String text) throws IOException {
        int colon = text.lastIndexOf(':');
        try {
            if (colon > 0) {
                return new InetSocketAddress(
                        InetAddress.getByName(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IOException("Set " + ADDRESS + " to HOST:PORT, where the ranks of the job meet; under mpirun rank 0"
                + " listens there (mpirun -x " + ADDRESS + "=HOST:PORT …). It is '" + text + "' now.");
    }
}
