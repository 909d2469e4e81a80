package io.verbena.proofs.jetty;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** A server that returns the body of each request, and its clients. */
final class Echo {

    private Echo() {}

    /** Prints its port and runs until it is ended. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws Exception {
            org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server();
            ServerConnector connector = new ServerConnector(server);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            server.setHandler(new Handler.Abstract() {
                @Override
                public boolean handle(Request request, Response response, Callback callback) {
                    Content.copy(request, response, callback);
                    return true;
                }
            });
            server.start();
            System.out.println("port " + connector.getLocalPort());
        }
    }

    /** A few threads, each with a client of its own. Arguments: the port and the number of requests. */
    static final class Client {

        static final int THREADS = 4;

        private static final int MOST_BYTES = 20_000;

        private Client() {}

        public static void main(String[] arguments) throws Exception {
            URI server = URI.create("http://127.0.0.1:" + arguments[0] + "/");
            int requests = Integer.parseInt(arguments[1]);
            long bytes = 0;
            try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
                List<Future<Long>> parts = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    int from = i;
                    parts.add(threads.submit(() -> echo(server, from, requests)));
                }
                for (Future<Long> part : parts) {
                    bytes += part.get();
                }
            }
            System.out.println("echoed " + bytes);
        }

        private static long echo(URI server, int from, int requests) throws Exception {
            long bytes = 0;
            try (HttpClient client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
                for (int i = from; i < requests; i += THREADS) {
                    Random random = new Random(i);
                    byte[] body = new byte[random.nextInt(MOST_BYTES)];
                    random.nextBytes(body);
                    HttpRequest request = HttpRequest.newBuilder(server)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build();
                    HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                    if (response.statusCode() != 200 || !Arrays.equals(response.body(), body)) {
                        throw new AssertionError("request " + i + " of " + body.length + " bytes: " + response);
                    }
                    bytes += body.length;
                }
            }
            return bytes;
        }
    }
}
