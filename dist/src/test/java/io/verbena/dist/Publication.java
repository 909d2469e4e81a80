package io.verbena.dist;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * One artifact of one version in a bundle.
 *
 * @param stem the path of its files without what follows the version
 */
record Publication(Bundle bundle, String stem) implements Comparable<Publication> {

    private static final int FOLDERS_ABOVE_THE_FILE = 3;

    /** The texts of the elements of its POM at a path such as {@code licenses/license/url}. */
    List<String> pom(String path) {
        StringBuilder query = new StringBuilder("/");
        for (String name : ("project/" + path).split("/", -1)) {
            query.append("/*[local-name()='").append(name).append("']");
        }
        // From the root: one slash.
        query.deleteCharAt(0);
        try {
            NodeList found = (NodeList) XPathFactory.newInstance()
                    .newXPath()
                    .evaluate(query.toString(), document(), XPathConstants.NODESET);
            return IntStream.range(0, found.getLength())
                    .mapToObj(i -> found.item(i).getTextContent().strip())
                    .toList();
        } catch (XPathException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    private Document document() {
        try {
            return DocumentBuilderFactory.newNSInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(bytes(".pom")));
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalStateException(stem + ".pom is no XML", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The path that its coordinates demand. */
    String stemOfCoordinates() {
        String artifact = String.join("", pom("artifactId"));
        String version = String.join("", pom("version"));
        return String.join("", pom("groupId")).replace('.', '/') + "/" + artifact + "/" + version + "/" + artifact + "-"
                + version;
    }

    boolean isJar() {
        return !pom("packaging").contains("pom");
    }

    byte[] bytes(String ending) {
        return bundle.bytes(stem + ending);
    }

    boolean has(String ending) {
        return bundle.has(stem + ending);
    }

    /** The entries of one of its jars. */
    Map<String, byte[]> jar(String ending) {
        Map<String, byte[]> entries = new TreeMap<>();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(bytes(ending)))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                entries.put(entry.getName(), in.readAllBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return entries;
    }

    /** Its files, without checksums and signatures. */
    List<String> content() {
        String folder = stem.substring(0, stem.lastIndexOf('/') + 1);
        List<String> found = new ArrayList<>();
        for (String path : bundle.files().keySet()) {
            if (path.startsWith(folder) && !path.matches(".*\\.(md5|sha1|sha256|sha512|asc)")) {
                found.add(path);
            }
        }
        return found;
    }

    String artifact() {
        String[] names = stem.split("/", -1);
        return names[names.length - FOLDERS_ABOVE_THE_FILE];
    }

    @Override
    public int compareTo(Publication other) {
        return stem.compareTo(other.stem);
    }
}
