package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.picture.Pictures;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

/** In the picture of each shape, a name covers neither another name, nor a line, nor a node. */
class FabricLayoutTest {

    private static final double LETTER_PX = 5.6;

    @TempDir
    Path directory;

    private record Words(String text, Rectangle2D area) {}

    @ParameterizedTest
    @ValueSource(
            strings = {
                "machine-room",
                "leaf-spine:8x4",
                "leaf-spine:48x24",
                "fat-tree:8",
                "fat-tree:8 --path h0-to-h100",
                "fat-tree:16",
                "dragonfly:4x4x2",
                "torus:8x8",
                "torus:3x3x3",
                "mesh:5x5",
                "hypercube:4",
                "ring:12"
            })
    void everyShape_namesCoverNothing(String arguments) throws IOException {
        Element picture = picture(arguments);
        List<Words> names = names(picture);
        assertTrue(names.size() > 3, "few names: " + names);
        for (int i = 0; i < names.size(); i++) {
            for (int j = 0; j < i; j++) {
                assertTrue(
                        !names.get(i).area().intersects(names.get(j).area()), names.get(i) + " covers " + names.get(j));
            }
        }
        for (Line2D line : lines(picture)) {
            for (Words words : names) {
                assertTrue(!line.intersects(words.area()), words + " lies on a line");
            }
        }
        for (Element node : Pictures.elements(picture, "circle")) {
            for (Words words : names) {
                assertTrue(
                        !words.area().contains(Pictures.number(node, "cx"), Pictures.number(node, "cy")),
                        words + " lies on an endnode");
            }
        }
    }

    @Test
    void largeTree_isDrawnWithGroups() throws IOException {
        Element picture = picture("fat-tree:16");
        long lines = Pictures.elements(picture, "path").stream()
                .filter(path -> path.getAttribute("class").startsWith("l "))
                .count();
        assertEquals(8 * 16 + 128 + 16, lines);
        assertTrue(Pictures.texts(picture).contains("64 endnodes"));
    }

    @Test
    void path_isAboveAllLinks() throws IOException {
        String picture = text("leaf-spine:8x4 --path h0-to-h60");
        assertTrue(picture.lastIndexOf("class=\"path\"") > picture.lastIndexOf("class=\"l h"), picture);
        assertTrue(picture.contains(">path: h0 sanic-1 &gt; leaf-0 &gt; spine-"), picture);
    }

    private Element picture(String arguments) throws IOException {
        return Pictures.parse(text(arguments));
    }

    private String text(String arguments) throws IOException {
        Path file = directory.resolve("picture.svg");
        List<String> words = new ArrayList<>(List.of("fabric", "show"));
        for (String word : arguments.split(" ", -1)) {
            words.add(word.replace("-to-", " to "));
        }
        words.addAll(List.of("--time", "1", "--load", "0.1", "-q", "--svg", file.toString()));
        CliRun run = CliRun.of(words.toArray(String[]::new));
        assertEquals(0, run.code(), run.err());
        return Files.readString(file);
    }

    private static List<Words> names(Element picture) {
        List<Words> names = new ArrayList<>();
        for (Element text : Pictures.elements(picture, "text")) {
            if (text.getAttribute("class").equals("small")) {
                double width = LETTER_PX * text.getTextContent().length();
                double x = Pictures.number(text, "x");
                double left = switch (text.getAttribute("text-anchor")) {
                    case "start" -> x;
                    case "end" -> x - width;
                    default -> x - width / 2;
                };
                names.add(new Words(
                        text.getTextContent(),
                        new Rectangle2D.Double(left, Pictures.number(text, "y") - 8, width, 10)));
            }
        }
        return names;
    }

    private static List<Line2D> lines(Element picture) {
        List<Line2D> lines = new ArrayList<>();
        for (Element path : Pictures.elements(picture, "path")) {
            double[] at = new double[6];
            double x = 0;
            double y = 0;
            for (PathIterator part = outline(path).getPathIterator(null, .2); !part.isDone(); part.next()) {
                if (part.currentSegment(at) == PathIterator.SEG_LINETO) {
                    lines.add(new Line2D.Double(x, y, at[0], at[1]));
                }
                x = at[0];
                y = at[1];
            }
        }
        return lines;
    }

    private static Path2D outline(Element path) {
        Path2D outline = new Path2D.Double();
        try (Scanner d = new Scanner(path.getAttribute("d"))) {
            while (d.hasNext()) {
                switch (d.next()) {
                    case "M" -> outline.moveTo(next(d), next(d));
                    case "L" -> outline.lineTo(next(d), next(d));
                    default -> outline.curveTo(next(d), next(d), next(d), next(d), next(d), next(d));
                }
            }
        }
        return outline;
    }

    private static double next(Scanner numbers) {
        return Double.parseDouble(numbers.next());
    }
}
