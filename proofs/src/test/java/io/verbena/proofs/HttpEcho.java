package io.verbena.proofs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executors;

/** The HTTP server and client of the JDK: the server returns the body of each request. */
final class HttpEcho {

    private HttpEcho() {}

    /** Prints its port and runs until it is ended. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws IOException {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
            server.createContext("/", Server::echo);
            server.setExecutor(Executors.newFixedThreadPool(4));
            server.start();
            System.out.println("port " + server.getAddress().getPort());
        }

        private static void echo(HttpExchange exchange) throws IOException {
            byte[] body = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
            try (OutputStream response = exchange.getResponseBody()) {
                response.write(body);
            }
        }
    }

    /** Sends requests with bodies of all sizes and compares each response. */
    static final class Client {

        private static final int[] SIZES = {
            0, 1, 2, 100, 1_023, 4_095, 4_096, 4_097, 16_384, 65_535, 65_536, 65_537, 131_071, 524_288, 524_289,
            3_000_000
        };

        private Client() {}

        public static void main(String[] arguments) throws Exception {
            URI server = URI.create("http://127.0.0.1:" + arguments[0] + "/");
            int requests = Integer.parseInt(arguments[1]);
            long bytes = 0;
            try (HttpClient client = HttpClient.newHttpClient()) {
                for (int i = 0; i < requests; i++) {
                    byte[] body = new byte[SIZES[i % SIZES.length]];
                    new Random(i).nextBytes(body);
                    HttpRequest request = HttpRequest.newBuilder(server)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build();
                    HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                    if (response.statusCode() != 200 || !Arrays.equals(response.body(), body)) {
                        throw new AssertionError("request " + i + " of " + body.length + " bytes: " + response
                                + " with " + response.body().length + " bytes");
                    }
                    bytes += body.length;
                }
            }
            System.out.println("echoed " + bytes);
        }
    }
}
