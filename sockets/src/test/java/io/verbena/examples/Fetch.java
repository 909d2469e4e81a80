package io.verbena.examples;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Fetches a document of a web server a number of times with the client of the JDK; it knows nothing of RDMA. */
public final class Fetch {

    private Fetch() {}

    public static void main(String[] arguments) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0])).build();
        int times = Integer.parseInt(arguments[1]);
        long bytes = 0;
        long startNs = System.nanoTime();
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < times; i++) {
                HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                if (response.statusCode() != 200) {
                    throw new IllegalStateException(response.toString());
                }
                bytes += response.body().length;
            }
        }
        System.out.printf("%,d bytes in %.1f s%n", bytes, (System.nanoTime() - startNs) / 1e9);
    }
}
