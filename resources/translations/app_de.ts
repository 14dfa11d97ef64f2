<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>ExploreView</name>
    <message>
        <source>Platform and timeline</source>
        <translation>Plattform und Zeitachse</translation>
    </message>
    <message>
        <source>Double click: back to the usual shares</source>
        <translation>Doppelklick: zurück zur üblichen Aufteilung</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Link busy share</source>
        <translation>Belegung der Links</translation>
    </message>
    <message>
        <source>Waiting on the critical path</source>
        <translation>Warten auf dem kritischen Pfad</translation>
    </message>
    <message>
        <source>Gain if 10 % faster</source>
        <translation>Gewinn bei 10 % mehr Tempo</translation>
    </message>
    <message>
        <source>Dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>Colour of links</source>
        <translation>Farbe der Links</translation>
    </message>
    <message>
        <source>What the colour of a link means</source>
        <translation>Was die Farbe eines Links bedeutet</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Fit platform</source>
        <translation>Plattform einpassen</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>Fit timeline</source>
        <translation>Zeitachse einpassen</translation>
    </message>
    <message>
        <source>Play the run (P in the timeline, Space on the platform)</source>
        <translation>Lauf abspielen (P auf der Zeitachse, Leertaste auf der Plattform)</translation>
    </message>
    <message>
        <source>Critical path (C in the timeline)</source>
        <translation>Kritischer Pfad (C auf der Zeitachse)</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>On the critical path</source>
        <translation>Auf dem kritischen Pfad</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 in %2 steps</source>
        <translation>%1 in %2 Schritten</translation>
    </message>
    <message>
        <source>waiting for the link, on the critical path</source>
        <translation>Warten auf den Link, auf dem kritischen Pfad</translation>
    </message>
    <message>
        <source>saved if its bandwidth is 10 % more</source>
        <translation>gespart bei 10 % mehr Bandbreite</translation>
    </message>
    <message>
        <source>%1 of waiting</source>
        <translation>%1 gewartet</translation>
    </message>
    <message>
        <source>%1 saved by 10 % more</source>
        <translation>%1 gespart bei 10 % mehr</translation>
    </message>
    <message>
        <source>The path waits for no link</source>
        <translation>Der Pfad wartet auf keinen Link</translation>
    </message>
    <message>
        <source>No link is on the path</source>
        <translation>Kein Link liegt auf dem Pfad</translation>
    </message>
    <message>
        <source>Not explained yet</source>
        <translation>Noch nicht erklärt</translation>
    </message>
    <message>
        <source>By dimension</source>
        <translation>Nach Dimension</translation>
    </message>
    <message>
        <source>Under astra-unaware messages cross dimensions, not single links: the links of a dimension have its mean. astra-aware follows each link.</source>
        <translation>Unter astra-unaware gehen Nachrichten über Dimensionen, nicht über einzelne Links: Die Links einer Dimension haben deren Mittel. astra-aware verfolgt jeden Link.</translation>
    </message>
    <message>
        <source>link busy, up to %1</source>
        <translation>Link belegt, bis %1</translation>
    </message>
    <message>
        <source>link busy, whole run</source>
        <translation>Link belegt, ganzer Lauf</translation>
    </message>
    <message>
        <source>link busy at %1</source>
        <translation>Link belegt bei %1</translation>
    </message>
    <message>
        <source>mean by dimension</source>
        <translation>Mittel je Dimension</translation>
    </message>
    <message>
        <source>mean of links in use</source>
        <translation>Mittel der benutzten Links</translation>
    </message>
    <message>
        <source>mean of all links</source>
        <translation>Mittel aller Links</translation>
    </message>
    <message>
        <source>link busy at %1, %2</source>
        <translation>Link belegt bei %1, %2</translation>
    </message>
    <message>
        <source>%1; not known over time</source>
        <translation>%1; zeitlicher Verlauf nicht bekannt</translation>
    </message>
    <message>
        <source>%1, earlier inputs</source>
        <translation>%1, frühere Eingaben</translation>
    </message>
</context>
<context>
    <name>FileCommands</name>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>No automatic copy could be written: %1</source>
        <translation>Es konnte keine automatische Kopie geschrieben werden: %1</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 Dateien</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Everything known (*.yaml *.yml *.json *.et *.run *.gz *.lua *.xml);;Designs (*.yaml *.yml);;Programs (*.lua *.xml);;All files (*)</source>
        <translation>Alles Bekannte (*.yaml *.yml *.json *.et *.run *.gz *.lua *.xml);;Entwürfe (*.yaml *.yml);;Programme (*.lua *.xml);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save the design as</source>
        <translation>Entwurf speichern unter</translation>
    </message>
    <message>
        <source>Designs (*.yaml *.yml)</source>
        <translation>Entwürfe (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>An automatic copy of an earlier session could not be read. It is kept as %1.</source>
        <translation>Eine automatische Kopie einer früheren Sitzung war nicht lesbar. Sie bleibt erhalten als %1.</translation>
    </message>
    <message>
        <source>%1 automatic copies of earlier sessions could not be read. They are kept in %2.</source>
        <translation>%1 automatische Kopien früherer Sitzungen waren nicht lesbar. Sie bleiben erhalten in %2.</translation>
    </message>
    <message>
        <source>Recovered changes</source>
        <translation>Wiederhergestellte Änderungen</translation>
    </message>
</context>
<context>
    <name>HintLine</name>
    <message>
        <source>Reading</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Error: %1</source>
        <translation>Fehler: %1</translation>
    </message>
    <message>
        <source>Warning: %1</source>
        <translation>Warnung: %1</translation>
    </message>
    <message>
        <source>Reading %1 &lt;a href=&quot;reading:cancel&quot;&gt;Cancel&lt;/a&gt;</source>
        <translation>%1 wird gelesen &lt;a href=&quot;reading:cancel&quot;&gt;Abbrechen&lt;/a&gt;</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>Hinweis</translation>
    </message>
</context>
<context>
    <name>LogPlayer</name>
    <message>
        <source>macro: %1</source>
        <translation>Makro: %1</translation>
    </message>
    <message>
        <source>macro: text</source>
        <translation>Makro: Text</translation>
    </message>
</context>
<context>
    <name>MainToolBar</name>
    <message>
        <source>Main toolbar</source>
        <translation>Hauptleiste</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
    <message>
        <source>Every edit runs the design again. Ctrl+L switches this off.</source>
        <translation>Jede Änderung simuliert den Entwurf neu. Strg+L schaltet das ab.</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufzeichnung</translation>
    </message>
    <message>
        <source>What is done is written down as a macro. Ctrl+Shift+M ends it.</source>
        <translation>Alles, was geschieht, wird als Makro mitgeschrieben. Strg+Umschalt+M beendet das.</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>What a time means</source>
        <translation>Was eine Zeit bedeutet</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stoppen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Stop the run and keep what there is (Shift+F5)</source>
        <translation>Lauf stoppen und behalten, was da ist (Umschalt+F5)</translation>
    </message>
    <message>
        <source>Simulate the design (F5)</source>
        <translation>Entwurf simulieren (F5)</translation>
    </message>
    <message>
        <source>Pin as baseline</source>
        <translation>Als Basis anheften</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Bericht exportieren</translation>
    </message>
    <message>
        <source>Live: every edit re-runs</source>
        <translation>Live: simuliert bei jeder Änderung</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Design</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Open re&amp;cent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>, edited</source>
        <translation>, geändert</translation>
    </message>
    <message>
        <source>, read-only</source>
        <translation>, schreibgeschützt</translation>
    </message>
    <message>
        <source>, also open in another window</source>
        <translation>, auch in einem anderen Fenster offen</translation>
    </message>
    <message>
        <source>, also open in %1 other windows</source>
        <translation>, auch in %1 anderen Fenstern offen</translation>
    </message>
    <message>
        <source>Export traces</source>
        <translation>Traces exportieren</translation>
    </message>
    <message>
        <source>Chakra traces (*.0.et)</source>
        <translation>Chakra-Traces (*.0.et)</translation>
    </message>
    <message>
        <source>No view has the focus: click one, or go there with Tab.</source>
        <translation>Keine Ansicht hat den Fokus: eine anklicken oder mit Tab dorthin gehen.</translation>
    </message>
    <message>
        <source>Picture copied: %1</source>
        <translation>Bild kopiert: %1</translation>
    </message>
    <message>
        <source>There are no issues.</source>
        <translation>Es gibt keine Probleme.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>Wiederholen: %1</translation>
    </message>
    <message>
        <source>model %1</source>
        <translation>Modell %1</translation>
    </message>
    <message>
        <source>%1 as PNG (*.png)</source>
        <translation>%1 als PNG (*.png)</translation>
    </message>
    <message>
        <source>%1 as SVG (*.svg)</source>
        <translation>%1 als SVG (*.svg)</translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation>Bild exportieren</translation>
    </message>
    <message>
        <source>Picture written: %1</source>
        <translation>Bild geschrieben: %1</translation>
    </message>
    <message>
        <source>Save run</source>
        <translation>Lauf speichern</translation>
    </message>
    <message>
        <source>Runs (*.run)</source>
        <translation>Läufe (*.run)</translation>
    </message>
    <message>
        <source>About Fabricscope</source>
        <translation>Über Fabricscope</translation>
    </message>
    <message>
        <source>&lt;b&gt;Fabricscope %1&lt;/b&gt; (%2)&lt;p&gt;Design-space explorer for distributed machine-learning platforms.&lt;p&gt;GPL-3.0-or-later. Qt %3.</source>
        <translation>&lt;b&gt;Fabricscope %1&lt;/b&gt; (%2)&lt;p&gt;Erkundung von Entwürfen für verteilte Plattformen des maschinellen Lernens.&lt;p&gt;GPL-3.0-or-later. Qt %3.</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>nothing runs</source>
        <translation>nichts läuft</translation>
    </message>
    <message>
        <source>Step %1 of %2 of the critical path, rank %3: %4, %5 from %6</source>
        <translation>Schritt %1 von %2 des kritischen Pfads, Rang %3: %4, %5 ab %6</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>undoing %1</source>
        <translation>Rücknahme von %1</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>Gespeichert: %1</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>%1 in %2 ms</source>
        <translation>%1 in %2 ms</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Gestoppt</translation>
    </message>
    <message>
        <source>Running rule by rule</source>
        <translation>Läuft Regel für Regel</translation>
    </message>
    <message>
        <source>Writing traces; %1 stops it</source>
        <translation>Traces werden geschrieben; %1 stoppt das</translation>
    </message>
    <message>
        <source>No traces written: stopped</source>
        <translation>Keine Traces geschrieben: gestoppt</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; has changed on disk. &lt;a href=&quot;%2:reload&quot;&gt;Reload&lt;/a&gt; (can be undone), or &lt;a href=&quot;%2:keep&quot;&gt;keep what is here&lt;/a&gt;.</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; hat sich auf der Platte geändert. &lt;a href=&quot;%2:reload&quot;&gt;Neu laden&lt;/a&gt; (lässt sich rückgängig machen) oder &lt;a href=&quot;%2:keep&quot;&gt;behalten, was hier ist&lt;/a&gt;.</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; was deleted or moved. What is here exists nowhere else: &lt;a href=&quot;%2:save&quot;&gt;save it&lt;/a&gt;.</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; wurde gelöscht oder verschoben. Was hier ist, gibt es sonst nirgends: &lt;a href=&quot;%2:save&quot;&gt;speichern&lt;/a&gt;.</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; can no longer be read. What is here is kept.</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; ist nicht mehr lesbar. Was hier ist, bleibt erhalten.</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; is no ordinary file any more. What is here is kept: &lt;a href=&quot;%2:save&quot;&gt;save it&lt;/a&gt; elsewhere.</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; ist keine gewöhnliche Datei mehr. Was hier ist, bleibt erhalten: anderswo &lt;a href=&quot;%2:save&quot;&gt;speichern&lt;/a&gt;.</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Table written: %1</source>
        <translation>Tabelle geschrieben: %1</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>the design</source>
        <translation>dem Entwurf</translation>
    </message>
</context>
<context>
    <name>ProgramsPage</name>
    <message>
        <source>There are no findings.</source>
        <translation>Es gibt keine Befunde.</translation>
    </message>
    <message>
        <source>Example programs</source>
        <translation>Beispielprogramme</translation>
    </message>
    <message>
        <source>Generating %1</source>
        <translation>%1 wird erzeugt</translation>
    </message>
    <message>
        <source>Generated %1</source>
        <translation>Erzeugt: %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Writing %1 out</source>
        <translation>%1 wird ausgeschrieben</translation>
    </message>
    <message>
        <source>%1 MiB of text are more than is edited here. Save it, or use it in the design.</source>
        <translation>%1 MiB Text sind mehr, als hier bearbeitet wird. Speichern oder im Entwurf verwenden.</translation>
    </message>
    <message>
        <source>There is no program to export: its text cannot be read.</source>
        <translation>Es gibt kein Programm zu exportieren: sein Text ist nicht lesbar.</translation>
    </message>
    <message>
        <source>MSCCL XML (*.xml)</source>
        <translation>MSCCL-XML (*.xml)</translation>
    </message>
    <message>
        <source>Fabricscope JSON (*.json)</source>
        <translation>Fabricscope-JSON (*.json)</translation>
    </message>
    <message>
        <source>Chakra graphs, one per rank (*.et)</source>
        <translation>Chakra-Graphen, einer je Rang (*.et)</translation>
    </message>
    <message>
        <source>Export the program</source>
        <translation>Programm exportieren</translation>
    </message>
    <message>
        <source>Writing %1</source>
        <translation>%1 wird geschrieben</translation>
    </message>
    <message>
        <source>Program written: %1</source>
        <translation>Programm geschrieben: %1</translation>
    </message>
    <message>
        <source>%1. Not in the file: %2</source>
        <translation>%1. Nicht in der Datei: %2</translation>
    </message>
    <message>
        <source>The text is still being checked.</source>
        <translation>Der Text wird noch geprüft.</translation>
    </message>
    <message>
        <source>The program has errors. Mend them before it is used in the design.</source>
        <translation>Das Programm hat Fehler. Sie sind zu beheben, bevor der Entwurf es verwendet.</translation>
    </message>
    <message>
        <source>The ASTRA-sim system file of this design decides its algorithms.</source>
        <translation>Die ASTRA-sim-Systemdatei dieses Entwurfs bestimmt seine Algorithmen.</translation>
    </message>
    <message>
        <source>Another design is open now. The rule was not added.</source>
        <translation>Inzwischen ist ein anderer Entwurf offen. Die Regel wurde nicht hinzugefügt.</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1 für %2</translation>
    </message>
    <message>
        <source>%1 is the first rule of the design now.</source>
        <translation>%1 ist jetzt die erste Regel des Entwurfs.</translation>
    </message>
</context>
<context>
    <name>RecordCommands</name>
    <message>
        <source>Macro: step %1 of %2. %3 stops it.</source>
        <translation>Makro: Schritt %1 von %2. %3 stoppt es.</translation>
    </message>
    <message>
        <source>Macro: done.</source>
        <translation>Makro: fertig.</translation>
    </message>
    <message>
        <source>Recording: commands and changes of the design. The same command ends it.</source>
        <translation>Aufzeichnung: Befehle und Änderungen des Entwurfs. Derselbe Befehl beendet sie.</translation>
    </message>
    <message>
        <source>Nothing was done, so there is no macro.</source>
        <translation>Es wurde nichts getan, also gibt es kein Makro.</translation>
    </message>
    <message>
        <source>Save macro</source>
        <translation>Makro speichern</translation>
    </message>
    <message>
        <source>Macros (*.yaml)</source>
        <translation>Makros (*.yaml)</translation>
    </message>
    <message>
        <source>The macro was not kept.</source>
        <translation>Das Makro wurde nicht behalten.</translation>
    </message>
    <message>
        <source>Macro of %1 steps written: %2</source>
        <translation>Makro mit %1 Schritten geschrieben: %2</translation>
    </message>
    <message>
        <source>Macro: stopped.</source>
        <translation>Makro: gestoppt.</translation>
    </message>
    <message>
        <source>Replay macro</source>
        <translation>Makro abspielen</translation>
    </message>
</context>
<context>
    <name>Result</name>
    <message>
        <source>since the baseline</source>
        <translation>gegenüber der Basis</translation>
    </message>
    <message>
        <source>after %1</source>
        <translation>nach %1</translation>
    </message>
    <message>
        <source>since the run before</source>
        <translation>gegenüber dem vorigen Lauf</translation>
    </message>
    <message>
        <source>after %1 changes</source>
        <translation>nach %1 Änderungen</translation>
    </message>
</context>
<context>
    <name>TablesPanel</name>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch nichts gelaufen.</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Each rank</source>
        <translation>Jeder Rang</translation>
    </message>
    <message>
        <source>Ranks with the same times are one row; this lists each</source>
        <translation>Ränge mit gleichen Zeiten bilden eine Zeile; so erscheint jeder einzeln</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Each link</source>
        <translation>Jeder Link</translation>
    </message>
    <message>
        <source>Links with the same figures are one row; this lists each</source>
        <translation>Links mit gleichen Werten bilden eine Zeile; so erscheint jeder einzeln</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Issues</source>
        <translation>Probleme</translation>
    </message>
    <message>
        <source>Issues  %1</source>
        <translation>Probleme  %1</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>Kollektive</translation>
    </message>
    <message>
        <source>Each group</source>
        <translation>Jede Gruppe</translation>
    </message>
    <message>
        <source>The same collective of all groups is one row; this lists each</source>
        <translation>Dasselbe Kollektiv aller Gruppen bildet eine Zeile; so erscheint jedes einzeln</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>When every collective ran and how long it took</source>
        <translation>Wann jedes Kollektiv lief und wie lange</translation>
    </message>
    <message>
        <source>Bounds</source>
        <translation>Schranken</translation>
    </message>
    <message>
        <source>The least time any algorithm needs, and the share of it that was reached</source>
        <translation>Die kleinste Zeit, die irgendein Algorithmus braucht, und wie viel davon erreicht wurde</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>Kandidaten</translation>
    </message>
    <message>
        <source>What algorithm: auto looked at, and which it took</source>
        <translation>Was algorithm: auto geprüft und was es genommen hat</translation>
    </message>
    <message>
        <source>What to list of the collectives</source>
        <translation>Was zu den Kollektiven gezeigt wird</translation>
    </message>
    <message>
        <source>Times, lower bounds, or the candidates of algorithm: auto</source>
        <translation>Zeiten, untere Schranken oder die Kandidaten von algorithm: auto</translation>
    </message>
    <message>
        <source>Totals</source>
        <translation>Summen</translation>
    </message>
    <message>
        <source>Sums over the whole run</source>
        <translation>Summen über den ganzen Lauf</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Shares over time; a click goes to that time</source>
        <translation>Anteile über die Zeit; ein Klick geht zu dieser Zeit</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Nothing to tell.</source>
        <translation>Nichts zu melden.</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>Alle Stufen</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>Warnungen und Fehler</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Level of the log</source>
        <translation>Stufe des Protokolls</translation>
    </message>
    <message>
        <source>Messages below this level are not shown</source>
        <translation>Meldungen unter dieser Stufe erscheinen nicht</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Forget all messages</source>
        <translation>Alle Meldungen vergessen</translation>
    </message>
    <message>
        <source>Clear the log</source>
        <translation>Protokoll leeren</translation>
    </message>
    <message>
        <source>Lower bounds</source>
        <translation>Untere Schranken</translation>
    </message>
    <message>
        <source>No lower bounds: they are known for collectives under the models links and flow.</source>
        <translation>Keine unteren Schranken: es gibt sie für Kollektive unter den Modellen links und flow.</translation>
    </message>
    <message>
        <source>Nothing was chosen: no collective of the design says algorithm: auto.</source>
        <translation>Nichts wurde gewählt: kein Kollektiv des Entwurfs hat algorithm: auto.</translation>
    </message>
    <message>
        <source>Export CSV…</source>
        <translation>Als CSV…</translation>
    </message>
    <message>
        <source>Export the table as CSV</source>
        <translation>Tabelle als CSV exportieren</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>What computations and collectives reach of what NPUs and network allow</source>
        <translation>Was Rechnungen und Kollektive von dem erreichen, was NPUs und Netz erlauben</translation>
    </message>
</context>
<context>
    <name>TimelineTools</name>
    <message>
        <source>Filter rows</source>
        <translation>Zeilen filtern</translation>
    </message>
    <message>
        <source>Only rows that answer these letters (Ctrl+Alt+F)</source>
        <translation>Nur Zeilen, die zu diesen Buchstaben passen (Strg+Alt+F)</translation>
    </message>
    <message>
        <source>Show hidden rows</source>
        <translation>Ausgeblendete Zeilen zeigen</translation>
    </message>
    <message>
        <source>%1 hidden</source>
        <translation>%1 ausgeblendet</translation>
    </message>
    <message>
        <source>%1 hidden, show them</source>
        <translation>%1 ausgeblendet, einblenden</translation>
    </message>
</context>
<context>
    <name>TraceExport</name>
    <message>
        <source>Traces written: %1</source>
        <translation>Traces geschrieben: %1</translation>
    </message>
</context>
<context>
    <name>fabricscope::Commands</name>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>&amp;New design</source>
        <translation>&amp;Neuer Entwurf</translation>
    </message>
    <message>
        <source>Start a design from a template, a preset or an example</source>
        <translation>Entwurf aus Vorlage, Vorgabe oder Beispiel beginnen</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Open a design, ASTRA-sim inputs, Chakra traces or a saved run</source>
        <translation>Entwurf, ASTRA-sim-Eingaben, Chakra-Traces oder gespeicherten Lauf öffnen</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save the design; comments stay</source>
        <translation>Entwurf speichern; Kommentare bleiben</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Speichern &amp;unter…</translation>
    </message>
    <message>
        <source>Save the design under another name</source>
        <translation>Entwurf unter anderem Namen speichern</translation>
    </message>
    <message>
        <source>Save &amp;run…</source>
        <translation>&amp;Lauf speichern…</translation>
    </message>
    <message>
        <source>Save the result with every task time, for later reports</source>
        <translation>Ergebnis mit allen Zeiten der Tasks speichern, für spätere Berichte</translation>
    </message>
    <message>
        <source>Export r&amp;eport…</source>
        <translation>Be&amp;richt exportieren…</translation>
    </message>
    <message>
        <source>Write the report as HTML or PDF</source>
        <translation>Bericht als HTML oder PDF schreiben</translation>
    </message>
    <message>
        <source>Export &amp;picture…</source>
        <translation>B&amp;ild exportieren…</translation>
    </message>
    <message>
        <source>Write the view that has the focus, the platform or the timeline as PNG or SVG</source>
        <translation>Ansicht mit dem Fokus, Plattform oder Zeitachse als PNG oder SVG schreiben</translation>
    </message>
    <message>
        <source>Export &amp;traces…</source>
        <translation>&amp;Traces exportieren…</translation>
    </message>
    <message>
        <source>Write the tasks with their times as Chakra traces, one per rank, and communicator groups</source>
        <translation>Tasks mit ihren Zeiten als Chakra-Traces schreiben, einen je Rang, dazu die Kommunikatorgruppen</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Take the last change of the design back</source>
        <translation>Letzte Änderung des Entwurfs zurücknehmen</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Make the change again</source>
        <translation>Änderung noch einmal machen</translation>
    </message>
    <message>
        <source>Selection &amp;before</source>
        <translation>&amp;Vorige Auswahl</translation>
    </message>
    <message>
        <source>Go back to what was selected before, where it was</source>
        <translation>Zurück zu dem, was zuvor ausgewählt war, und dorthin, wo es war</translation>
    </message>
    <message>
        <source>Selection &amp;after</source>
        <translation>&amp;Nächste Auswahl</translation>
    </message>
    <message>
        <source>Select again what was gone back from</source>
        <translation>Wieder auswählen, wovon zurückgegangen wurde</translation>
    </message>
    <message>
        <source>&amp;Copy picture</source>
        <translation>Bild &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy the view that has the focus as a picture; with Ctrl and Shift any view is dragged out</source>
        <translation>Ansicht mit dem Fokus als Bild kopieren; mit Strg und Umschalt lässt sich jede Ansicht herausziehen</translation>
    </message>
    <message>
        <source>&amp;Find element…</source>
        <translation>&amp;Element suchen…</translation>
    </message>
    <message>
        <source>Go to an NPU, link, task, collective, dimension, file or setting</source>
        <translation>Zu NPU, Link, Task, Kollektiv, Dimension, Datei oder Einstellung gehen</translation>
    </message>
    <message>
        <source>Find c&amp;ommand…</source>
        <translation>&amp;Befehl suchen…</translation>
    </message>
    <message>
        <source>Do any command by its name</source>
        <translation>Jeden Befehl über seinen Namen ausführen</translation>
    </message>
    <message>
        <source>Recor&amp;d macro</source>
        <translation>Makro &amp;aufzeichnen</translation>
    </message>
    <message>
        <source>Write down what is done from now on, to do it again; once more ends and keeps it</source>
        <translation>Ab jetzt mitschreiben, was geschieht, um es zu wiederholen; noch einmal beendet und behält es</translation>
    </message>
    <message>
        <source>Replay &amp;macro…</source>
        <translation>&amp;Makro abspielen…</translation>
    </message>
    <message>
        <source>Do again what a macro says; while one is done, stop it</source>
        <translation>Noch einmal tun, was ein Makro sagt; läuft eins, es stoppen</translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation>Ein&amp;stellungen…</translation>
    </message>
    <message>
        <source>Theme, size of the text, threads, automatic copies, panels</source>
        <translation>Farbschema, Schriftgröße, Threads, automatische Kopien, Leisten</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>&amp;Explore</source>
        <translation>&amp;Erkunden</translation>
    </message>
    <message>
        <source>Edit, run and look on one page</source>
        <translation>Bearbeiten, starten und ansehen auf einer Seite</translation>
    </message>
    <message>
        <source>&amp;Design panel</source>
        <translation>Ent&amp;wurfsleiste</translation>
    </message>
    <message>
        <source>Show or hide the design panel</source>
        <translation>Entwurfsleiste ein- oder ausblenden</translation>
    </message>
    <message>
        <source>&amp;Inspector</source>
        <translation>&amp;Inspektor</translation>
    </message>
    <message>
        <source>Show or hide the inspector</source>
        <translation>Inspektor ein- oder ausblenden</translation>
    </message>
    <message>
        <source>&amp;Tables</source>
        <translation>&amp;Tabellen</translation>
    </message>
    <message>
        <source>Show or hide tables, charts, issues and log</source>
        <translation>Tabellen, Diagramme, Probleme und Protokoll ein- oder ausblenden</translation>
    </message>
    <message>
        <source>Fit &amp;platform</source>
        <translation>&amp;Plattform einpassen</translation>
    </message>
    <message>
        <source>Show the whole platform</source>
        <translation>Ganze Plattform zeigen</translation>
    </message>
    <message>
        <source>&amp;Fit timeline</source>
        <translation>Zeit&amp;achse einpassen</translation>
    </message>
    <message>
        <source>Show the whole run</source>
        <translation>Ganzen Lauf zeigen</translation>
    </message>
    <message>
        <source>Dar&amp;k theme</source>
        <translation>&amp;Dunkles Farbschema</translation>
    </message>
    <message>
        <source>Switch between light and dark</source>
        <translation>Zwischen hell und dunkel wechseln</translation>
    </message>
    <message>
        <source>Patterns on inter&amp;vals</source>
        <translation>Muster auf I&amp;ntervallen</translation>
    </message>
    <message>
        <source>Tell kinds of activity apart by pattern as well as colour</source>
        <translation>Arten der Tätigkeit außer an der Farbe auch am Muster unterscheiden</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>G&amp;rößere Schrift</translation>
    </message>
    <message>
        <source>Make all text larger</source>
        <translation>Alle Schrift größer</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>&amp;Kleinere Schrift</translation>
    </message>
    <message>
        <source>Make all text smaller</source>
        <translation>Alle Schrift kleiner</translation>
    </message>
    <message>
        <source>Reset la&amp;yout</source>
        <translation>An&amp;ordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Put panels and splitters back where they were at first</source>
        <translation>Leisten und Teiler dorthin zurück, wo sie anfangs waren</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>&amp;Add dimension</source>
        <translation>&amp;Dimension hinzufügen</translation>
    </message>
    <message>
        <source>Add an outermost dimension to the platform</source>
        <translation>Der Plattform außen eine Dimension hinzufügen</translation>
    </message>
    <message>
        <source>Edit as &amp;YAML</source>
        <translation>Als &amp;YAML bearbeiten</translation>
    </message>
    <message>
        <source>Edit the text of the design</source>
        <translation>Text des Entwurfs bearbeiten</translation>
    </message>
    <message>
        <source>Next &amp;issue</source>
        <translation>&amp;Nächstes Problem</translation>
    </message>
    <message>
        <source>Go to the field of the next issue</source>
        <translation>Zum Feld des nächsten Problems gehen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>Simulate the design</source>
        <translation>Entwurf simulieren</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>Sto&amp;ppen</translation>
    </message>
    <message>
        <source>Stop the run and keep what there is</source>
        <translation>Lauf stoppen und behalten, was da ist</translation>
    </message>
    <message>
        <source>&amp;Live</source>
        <translation>&amp;Live</translation>
    </message>
    <message>
        <source>Run again after every edit</source>
        <translation>Nach jeder Änderung neu simulieren</translation>
    </message>
    <message>
        <source>&amp;Pin as baseline</source>
        <translation>Als &amp;Basis anheften</translation>
    </message>
    <message>
        <source>Compare every later result with this one</source>
        <translation>Jedes spätere Ergebnis mit diesem vergleichen</translation>
    </message>
    <message>
        <source>Model l&amp;inks</source>
        <translation>Modell l&amp;inks</translation>
    </message>
    <message>
        <source>Links, ports and reducers shared as in hardware</source>
        <translation>Links, Ports und Reduzierer geteilt wie in Hardware</translation>
    </message>
    <message>
        <source>Model i&amp;deal</source>
        <translation>Modell i&amp;deal</translation>
    </message>
    <message>
        <source>The same without sharing: the optimistic twin</source>
        <translation>Dasselbe ohne Teilen: der optimistische Zwilling</translation>
    </message>
    <message>
        <source>Model &amp;flow</source>
        <translation>Modell &amp;flow</translation>
    </message>
    <message>
        <source>Messages share links at max-min fair rates</source>
        <translation>Nachrichten teilen Links mit max-min-fairen Raten</translation>
    </message>
    <message>
        <source>Model astra-&amp;unaware</source>
        <translation>Modell astra-&amp;unaware</translation>
    </message>
    <message>
        <source>The answers of ASTRA-sim without congestion</source>
        <translation>Die Antworten von ASTRA-sim ohne Stau</translation>
    </message>
    <message>
        <source>Model astra-a&amp;ware</source>
        <translation>Modell astra-a&amp;ware</translation>
    </message>
    <message>
        <source>The answers of ASTRA-sim with congestion</source>
        <translation>Die Antworten von ASTRA-sim mit Stau</translation>
    </message>
    <message>
        <source>&amp;Explain another model…</source>
        <translation>Anderes Modell &amp;erklären…</translation>
    </message>
    <message>
        <source>Run under a second model and take the difference apart</source>
        <translation>Unter einem zweiten Modell starten und den Unterschied zerlegen</translation>
    </message>
    <message>
        <source>Step &amp;through collective</source>
        <translation>&amp;Kollektiv schrittweise</translation>
    </message>
    <message>
        <source>Follow the selected collective move by move</source>
        <translation>Dem ausgewählten Kollektiv Zug für Zug folgen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Close the window; unsaved changes are asked about</source>
        <translation>Fenster schließen; bei ungespeicherten Änderungen wird gefragt</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>&amp;Shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>List every command with its keys</source>
        <translation>Jeden Befehl mit seinen Tasten zeigen</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>&amp;Handbuch</translation>
    </message>
    <message>
        <source>What a time means, algorithms, formats, the language</source>
        <translation>Was eine Zeit bedeutet, Algorithmen, Formate, die Sprache</translation>
    </message>
    <message>
        <source>&amp;Open the example</source>
        <translation>&amp;Beispiel öffnen</translation>
    </message>
    <message>
        <source>Open the two-level example again</source>
        <translation>Das Beispiel mit zwei Ebenen wieder öffnen</translation>
    </message>
    <message>
        <source>&amp;Guided tour</source>
        <translation>&amp;Rundgang</translation>
    </message>
    <message>
        <source>See what the program does, in five minutes, on the two-level example</source>
        <translation>In fünf Minuten sehen, was das Programm kann, am Beispiel mit zwei Ebenen</translation>
    </message>
    <message>
        <source>&amp;About Fabricscope</source>
        <translation>Über &amp;Fabricscope</translation>
    </message>
    <message>
        <source>Version, commit and licence</source>
        <translation>Version, Commit und Lizenz</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>See two to four designs side by side, and why they differ</source>
        <translation>Zwei bis vier Entwürfe nebeneinander, und warum sie sich unterscheiden</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>&amp;Pin this result for comparing</source>
        <translation>Ergebnis zum Vergleich an&amp;heften</translation>
    </message>
    <message>
        <source>Keep this result beside what is opened or changed later</source>
        <translation>Dieses Ergebnis neben dem behalten, was später geöffnet oder geändert wird</translation>
    </message>
    <message>
        <source>&amp;Add designs…</source>
        <translation>Entwürfe hin&amp;zufügen…</translation>
    </message>
    <message>
        <source>Run designs from files and compare them</source>
        <translation>Entwürfe aus Dateien starten und vergleichen</translation>
    </message>
    <message>
        <source>&amp;Swap A and B</source>
        <translation>A und B &amp;tauschen</translation>
    </message>
    <message>
        <source>The first two designs change places, and the baseline with them</source>
        <translation>Die ersten beiden Entwürfe tauschen die Plätze, und damit die Basis</translation>
    </message>
    <message>
        <source>Dra&amp;w</source>
        <translation>&amp;Zeichnen</translation>
    </message>
    <message>
        <source>Draw the platform part by part</source>
        <translation>Plattform Teil für Teil zeichnen</translation>
    </message>
    <message>
        <source>Draw</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>&amp;New empty design</source>
        <translation>&amp;Neuer leerer Entwurf</translation>
    </message>
    <message>
        <source>Start a design with an empty page to draw on</source>
        <translation>Entwurf mit leerer Zeichenfläche beginnen</translation>
    </message>
    <message>
        <source>Fabric in one &amp;line</source>
        <translation>Netz in einer &amp;Zeile</translation>
    </message>
    <message>
        <source>Type the fabric, with its figures at each key</source>
        <translation>Netz eintippen, mit seinen Kennzahlen bei jeder Taste</translation>
    </message>
    <message>
        <source>&amp;Duplicate with links</source>
        <translation>Mit Links &amp;verdoppeln</translation>
    </message>
    <message>
        <source>Copy the selected parts, joined as they are</source>
        <translation>Ausgewählte Teile kopieren, verbunden wie sie sind</translation>
    </message>
    <message>
        <source>&amp;Group into a blueprint</source>
        <translation>Zum Bauplan &amp;gruppieren</translation>
    </message>
    <message>
        <source>Make the selected parts one thing that is drawn once and used several times</source>
        <translation>Aus den ausgewählten Teilen eins machen, das einmal gezeichnet und mehrmals verwendet wird</translation>
    </message>
    <message>
        <source>&amp;Ungroup</source>
        <translation>Gruppierung &amp;auflösen</translation>
    </message>
    <message>
        <source>Parts of the selected blueprint are edited one by one again</source>
        <translation>Teile des ausgewählten Bauplans wieder einzeln bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Outline</source>
        <translation>Glie&amp;derung</translation>
    </message>
    <message>
        <source>The design as a tree: levels, blueprints, parts, single overrides</source>
        <translation>Der Entwurf als Baum: Ebenen, Baupläne, Teile, einzelne Abweichungen</translation>
    </message>
    <message>
        <source>Lay out &amp;again</source>
        <translation>Neu an&amp;ordnen</translation>
    </message>
    <message>
        <source>Put all parts, or the selected ones, by the layout chosen</source>
        <translation>Alle Teile oder die ausgewählten nach der gewählten Anordnung setzen</translation>
    </message>
    <message>
        <source>Pro&amp;grams</source>
        <translation>Pro&amp;gramme</translation>
    </message>
    <message>
        <source>Write collectives as programs, check and draw them</source>
        <translation>Kollektive als Programme schreiben, prüfen und zeichnen</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>&amp;New program</source>
        <translation>&amp;Neues Programm</translation>
    </message>
    <message>
        <source>Start the text of a collective</source>
        <translation>Text eines Kollektivs beginnen</translation>
    </message>
    <message>
        <source>E&amp;xample programs…</source>
        <translation>&amp;Beispielprogramme…</translation>
    </message>
    <message>
        <source>Choose one of the programs that come with Fabricscope</source>
        <translation>Eins der Programme wählen, die Fabricscope mitbringt</translation>
    </message>
    <message>
        <source>&amp;Generate…</source>
        <translation>&amp;Erzeugen…</translation>
    </message>
    <message>
        <source>Make the program of a known algorithm for a group of any size</source>
        <translation>Programm eines bekannten Algorithmus für eine Gruppe beliebiger Größe erzeugen</translation>
    </message>
    <message>
        <source>&amp;Synthesise…</source>
        <translation>&amp;Synthese…</translation>
    </message>
    <message>
        <source>Search for a program made for the platform of the design</source>
        <translation>Programm suchen, das zur Plattform des Entwurfs passt</translation>
    </message>
    <message>
        <source>&amp;Use in design…</source>
        <translation>Im Entwurf &amp;verwenden…</translation>
    </message>
    <message>
        <source>Run collectives of the design with this program</source>
        <translation>Kollektive des Entwurfs mit diesem Programm ausführen</translation>
    </message>
    <message>
        <source>&amp;Check again</source>
        <translation>Erneut &amp;prüfen</translation>
    </message>
    <message>
        <source>Read, verify and draw the text now</source>
        <translation>Text jetzt lesen, prüfen und zeichnen</translation>
    </message>
    <message>
        <source>Next &amp;finding</source>
        <translation>Nächster Be&amp;fund</translation>
    </message>
    <message>
        <source>Go to the line of the next finding</source>
        <translation>Zur Zeile des nächsten Befunds gehen</translation>
    </message>
    <message>
        <source>&amp;Export program…</source>
        <translation>Programm e&amp;xportieren…</translation>
    </message>
    <message>
        <source>Write the program as MSCCL XML, JSON or Chakra graphs</source>
        <translation>Programm als MSCCL-XML, JSON oder Chakra-Graphen schreiben</translation>
    </message>
    <message>
        <source>&amp;Report</source>
        <translation>&amp;Bericht</translation>
    </message>
    <message>
        <source>Read the report and choose its sections</source>
        <translation>Bericht lesen und seine Abschnitte wählen</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>&amp;Schritte</translation>
    </message>
    <message>
        <source>Follow one collective move by move</source>
        <translation>Einem Kollektiv Zug für Zug folgen</translation>
    </message>
    <message>
        <source>St&amp;udy</source>
        <translation>St&amp;udie</translation>
    </message>
    <message>
        <source>Vary a design, run all variants, find those that no other beats</source>
        <translation>Entwurf variieren, alle Varianten starten, die finden, die keine andere schlägt</translation>
    </message>
    <message>
        <source>Ru&amp;n study</source>
        <translation>S&amp;tudie starten</translation>
    </message>
    <message>
        <source>Run the designs of the study that are not kept yet, or stop</source>
        <translation>Entwürfe der Studie starten, die noch fehlen, oder stoppen</translation>
    </message>
    <message>
        <source>Open design of stud&amp;y</source>
        <translation>&amp;Entwurf der Studie öffnen</translation>
    </message>
    <message>
        <source>Open the selected design of the study as a document of its own</source>
        <translation>Ausgewählten Entwurf der Studie als eigenes Dokument öffnen</translation>
    </message>
    <message>
        <source>Export st&amp;udy…</source>
        <translation>Stu&amp;die exportieren…</translation>
    </message>
    <message>
        <source>Write all designs of the study as CSV or lines of JSON</source>
        <translation>Alle Entwürfe der Studie als CSV oder JSON-Zeilen schreiben</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>&amp;Find task…</source>
        <translation>&amp;Task suchen…</translation>
    </message>
    <message>
        <source>Find tasks of the run by a part of their name</source>
        <translation>Tasks des Laufs über einen Teil ihres Namens suchen</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>&amp;Nächsten suchen</translation>
    </message>
    <message>
        <source>Go to the next task of this name</source>
        <translation>Zum nächsten Task dieses Namens gehen</translation>
    </message>
    <message>
        <source>Find p&amp;revious</source>
        <translation>&amp;Vorigen suchen</translation>
    </message>
    <message>
        <source>Go to the task of this name before</source>
        <translation>Zum vorigen Task dieses Namens gehen</translation>
    </message>
    <message>
        <source>Fi&amp;lter rows</source>
        <translation>Zeilen &amp;filtern</translation>
    </message>
    <message>
        <source>Show only rows that answer a few letters</source>
        <translation>Nur Zeilen zeigen, die zu ein paar Buchstaben passen</translation>
    </message>
    <message>
        <source>&amp;Pin or unpin row</source>
        <translation>&amp;Zeile anheften oder lösen</translation>
    </message>
    <message>
        <source>Keep the current row above all others</source>
        <translation>Aktuelle Zeile über allen anderen halten</translation>
    </message>
    <message>
        <source>&amp;Hide row</source>
        <translation>Zeile a&amp;usblenden</translation>
    </message>
    <message>
        <source>Take the current row or group out of the timeline</source>
        <translation>Aktuelle Zeile oder Gruppe aus der Zeitachse nehmen</translation>
    </message>
    <message>
        <source>&amp;Show hidden rows</source>
        <translation>&amp;Ausgeblendete Zeilen zeigen</translation>
    </message>
    <message>
        <source>Show all rows again</source>
        <translation>Alle Zeilen wieder zeigen</translation>
    </message>
    <message>
        <source>Move row &amp;up</source>
        <translation>Zeile nach &amp;oben</translation>
    </message>
    <message>
        <source>Move the current row or group up</source>
        <translation>Aktuelle Zeile oder Gruppe nach oben schieben</translation>
    </message>
    <message>
        <source>Move row &amp;down</source>
        <translation>Zeile na&amp;ch unten</translation>
    </message>
    <message>
        <source>Move the current row or group down</source>
        <translation>Aktuelle Zeile oder Gruppe nach unten schieben</translation>
    </message>
    <message>
        <source>&amp;Back to the range before</source>
        <translation>Zu&amp;rück zum vorigen Bereich</translation>
    </message>
    <message>
        <source>Show the range of time that was shown before</source>
        <translation>Den zuvor gezeigten Zeitbereich zeigen</translation>
    </message>
    <message>
        <source>F&amp;orward to the range after</source>
        <translation>Vor zum nächsten &amp;Bereich</translation>
    </message>
    <message>
        <source>Show the range of time again that was gone back from</source>
        <translation>Den Zeitbereich wieder zeigen, von dem zurückgegangen wurde</translation>
    </message>
    <message>
        <source>To pr&amp;edecessor</source>
        <translation>Zum Vor&amp;gänger</translation>
    </message>
    <message>
        <source>Go to what the selected task had to wait for last</source>
        <translation>Zu dem gehen, worauf der ausgewählte Task zuletzt warten musste</translation>
    </message>
    <message>
        <source>To su&amp;ccessor</source>
        <translation>Zum Nachfo&amp;lger</translation>
    </message>
    <message>
        <source>Go to what waited for the selected task first</source>
        <translation>Zu dem gehen, was zuerst auf den ausgewählten Task gewartet hat</translation>
    </message>
    <message>
        <source>To the o&amp;ther end</source>
        <translation>Zum an&amp;deren Ende</translation>
    </message>
    <message>
        <source>Go from a send to its receive, and back</source>
        <translation>Von einem Senden zu seinem Empfangen gehen und zurück</translation>
    </message>
    <message>
        <source>Flow &amp;arrows</source>
        <translation>Fluss&amp;pfeile</translation>
    </message>
    <message>
        <source>Draw arrows from what the selection waited for, and to what waited for it</source>
        <translation>Pfeile zeichnen von dem, worauf die Auswahl wartete, und zu dem, was auf sie wartete</translation>
    </message>
    <message>
        <source>Cr&amp;itical path</source>
        <translation>&amp;Kritischer Pfad</translation>
    </message>
    <message>
        <source>Frame what the end of the run hangs on, and fade the rest</source>
        <translation>Einrahmen, woran das Ende des Laufs hängt, und den Rest abblenden</translation>
    </message>
    <message>
        <source>Follo&amp;wing step of the path</source>
        <translation>Näch&amp;ster Schritt des Pfads</translation>
    </message>
    <message>
        <source>Go to what the critical path does next</source>
        <translation>Zu dem gehen, was der kritische Pfad als Nächstes tut</translation>
    </message>
    <message>
        <source>Pre&amp;vious step of the path</source>
        <translation>Vor&amp;iger Schritt des Pfads</translation>
    </message>
    <message>
        <source>Go to what the critical path does before</source>
        <translation>Zu dem gehen, was der kritische Pfad davor tut</translation>
    </message>
    <message>
        <source>Book&amp;mark</source>
        <translation>L&amp;esezeichen</translation>
    </message>
    <message>
        <source>Mark the time under the pointer or of the selection, or take the mark away</source>
        <translation>Zeit unter dem Zeiger oder der Auswahl merken, oder die Marke wegnehmen</translation>
    </message>
    <message>
        <source>Pla&amp;y or pause</source>
        <translation>Abspielen oder an&amp;halten</translation>
    </message>
    <message>
        <source>Move the time cursor through what is on show; links are coloured by how busy they are then</source>
        <translation>Zeitmarke durch das Gezeigte bewegen; Links färben sich nach ihrer Belegung zu dieser Zeit</translation>
    </message>
    <message>
        <source>Ne&amp;xt bookmark</source>
        <translation>&amp;Weiter zum nächsten Lesezeichen</translation>
    </message>
    <message>
        <source>Go to the next marked time</source>
        <translation>Zur nächsten gemerkten Zeit gehen</translation>
    </message>
    <message>
        <source>Previous boo&amp;kmark</source>
        <translation>Zu&amp;m vorigen Lesezeichen</translation>
    </message>
    <message>
        <source>Go to the marked time before</source>
        <translation>Zur vorigen gemerkten Zeit gehen</translation>
    </message>
    <message>
        <source>Tra&amp;nsform</source>
        <translation>Umfor&amp;men</translation>
    </message>
    <message>
        <source>Split, reorder, slice, fuse and overlap computations and collectives</source>
        <translation>Berechnungen und Kollektive teilen, umordnen, in Scheiben legen, verschmelzen und überlappen</translation>
    </message>
    <message>
        <source>Search sche&amp;dules</source>
        <translation>&amp;Ablaufpläne suchen</translation>
    </message>
    <message>
        <source>Look for the fastest schedule of the program in Transform, or stop looking</source>
        <translation>Den schnellsten Ablaufplan des Programms in Umformen suchen oder die Suche stoppen</translation>
    </message>
    <message>
        <source>Part of the ste&amp;p…</source>
        <translation>&amp;Teil des Schritts…</translation>
    </message>
    <message>
        <source>Cut a part out of the step of the design&apos;s plan and transform it; the whole step is simulated with it</source>
        <translation>Einen Teil aus dem Schritt des Plans herausnehmen und umformen; der ganze Schritt wird damit simuliert</translation>
    </message>
    <message>
        <source>Export schedu&amp;le…</source>
        <translation>Ab&amp;laufplan exportieren…</translation>
    </message>
    <message>
        <source>Write the steps taken in Transform as a file that fabricscope-cli replays</source>
        <translation>In Umformen genommene Schritte als Datei schreiben, die fabricscope-cli wiederholt</translation>
    </message>
    <message>
        <source>W&amp;orkload</source>
        <translation>&amp;Last</translation>
    </message>
    <message>
        <source>Spread a model over the ranks: memory, pipeline and communications</source>
        <translation>Ein Modell auf die Ränge verteilen: Speicher, Pipeline und Kommunikation</translation>
    </message>
    <message>
        <source>&amp;Best plans…</source>
        <translation>&amp;Beste Pläne…</translation>
    </message>
    <message>
        <source>Search the fastest plans for the model on this platform</source>
        <translation>Die schnellsten Pläne des Modells auf dieser Plattform suchen</translation>
    </message>
</context>
<context>
    <name>fabricscope::ComparePage</name>
    <message>
        <source>Pinned for Compare: %1</source>
        <translation>Zum Vergleich angeheftet: %1</translation>
    </message>
    <message>
        <source>Add designs to compare</source>
        <translation>Entwürfe zum Vergleich hinzufügen</translation>
    </message>
</context>
<context>
    <name>fabricscope::DrawPage</name>
    <message>
        <source>Untitled.yaml</source>
        <translation>Unbenannt.yaml</translation>
    </message>
</context>
<context>
    <name>fabricscope::GoTo</name>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>link</source>
        <translation>Link</translation>
    </message>
    <message>
        <source>Fully connected</source>
        <translation>Vollvermascht</translation>
    </message>
    <message>
        <source>D%1 %2, %3</source>
        <translation>D%1 %2, %3</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>Kollektiv</translation>
    </message>
    <message>
        <source>task</source>
        <translation>Task</translation>
    </message>
    <message>
        <source>example, %1</source>
        <translation>Beispiel, %1</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>setting, on</source>
        <translation>Einstellung, an</translation>
    </message>
    <message>
        <source>setting, off</source>
        <translation>Einstellung, aus</translation>
    </message>
    <message>
        <source>setting in %1</source>
        <translation>Einstellung in %1</translation>
    </message>
    <message>
        <source>manual, %1 %2</source>
        <translation>Handbuch, %1 %2</translation>
    </message>
    <message>
        <source>Algorithm of collectives</source>
        <translation>Algorithmus der Kollektive</translation>
    </message>
    <message>
        <source>Chunks of collectives</source>
        <translation>Chunks der Kollektive</translation>
    </message>
    <message>
        <source>Peak of an NPU</source>
        <translation>Spitzenleistung einer NPU</translation>
    </message>
    <message>
        <source>Memory of an NPU</source>
        <translation>Speicher einer NPU</translation>
    </message>
    <message>
        <source>Memory rate of an NPU</source>
        <translation>Speicherrate einer NPU</translation>
    </message>
    <message>
        <source>Question of the design</source>
        <translation>Frage des Entwurfs</translation>
    </message>
</context>
<context>
    <name>fabricscope::MainWindow</name>
    <message>
        <source>This is an example. Change the D1 bandwidth and watch the result. &lt;a href=&quot;start&quot;&gt;Start page&lt;/a&gt;, &lt;a href=&quot;shortcuts&quot;&gt;Shortcuts&lt;/a&gt;</source>
        <translation>Ein Beispiel: Bandbreite von D1 ändern, das Ergebnis beobachten. &lt;a href=&quot;start&quot;&gt;Startseite&lt;/a&gt;, &lt;a href=&quot;shortcuts&quot;&gt;Tastenkürzel&lt;/a&gt;</translation>
    </message>
    <message>
        <source>%1 was not opened: the recovered changes are on show. Save them, then open it.</source>
        <translation>%1 wurde nicht geöffnet: die wiederhergestellten Änderungen sind zu sehen. Erst speichern, dann öffnen.</translation>
    </message>
</context>
<context>
    <name>fabricscope::ModelChoice</name>
    <message>
        <source>Explain another model</source>
        <translation>Anderes Modell erklären</translation>
    </message>
    <message>
        <source>Take the difference apart, starting from:</source>
        <translation>Unterschied zerlegen, ausgehend von:</translation>
    </message>
</context>
<context>
    <name>fabricscope::ReportPage</name>
    <message>
        <source>Report written: %1</source>
        <translation>Bericht geschrieben: %1</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>The steps could not be collected: %1.</source>
        <translation>Die Schritte konnten nicht gesammelt werden: %1.</translation>
    </message>
    <message>
        <source>The report was written before the steps were collected.</source>
        <translation>Der Bericht wurde geschrieben, bevor die Schritte gesammelt waren.</translation>
    </message>
    <message>
        <source>Report written without its steps: %1</source>
        <translation>Bericht ohne seine Schritte geschrieben: %1</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Bericht exportieren</translation>
    </message>
    <message>
        <source>PDF (*.pdf);;HTML (*.html)</source>
        <translation>PDF (*.pdf);;HTML (*.html)</translation>
    </message>
    <message>
        <source>The report is written when its steps are collected.</source>
        <translation>Der Bericht wird geschrieben, sobald seine Schritte gesammelt sind.</translation>
    </message>
</context>
<context>
    <name>fabricscope::StudyPage</name>
    <message>
        <source>The study was stopped; what is done is kept.</source>
        <translation>Die Studie wurde gestoppt; was fertig ist, bleibt.</translation>
    </message>
    <message>
        <source>All designs of the study are kept.</source>
        <translation>Alle Entwürfe der Studie sind vorhanden.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>No study is open.</source>
        <translation>Keine Studie offen.</translation>
    </message>
    <message>
        <source>No design of a study is selected.</source>
        <translation>Kein Entwurf einer Studie ausgewählt.</translation>
    </message>
    <message>
        <source>Export the designs of the study</source>
        <translation>Entwürfe der Studie exportieren</translation>
    </message>
    <message>
        <source>Tables (*.csv);;Lines of JSON (*.jsonl);;All files (*)</source>
        <translation>Tabellen (*.csv);;JSON-Zeilen (*.jsonl);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation>Exportiert: %1</translation>
    </message>
</context>
<context>
    <name>fabricscope::Tour</name>
    <message>
        <source>A design that has run</source>
        <translation>Ein Entwurf, der gelaufen ist</translation>
    </message>
    <message>
        <source>This is the example of two levels: at the left the design, in the middle the platform and what every rank did, at the right how long a step takes and what of it is communication. It runs by itself, and again after every edit.</source>
        <translation>Das Beispiel mit zwei Ebenen: links der Entwurf, in der Mitte die Plattform und was jeder Rang tat, rechts wie lange ein Schritt dauert und was davon Kommunikation ist. Es läuft von selbst, und nach jeder Änderung wieder.</translation>
    </message>
    <message>
        <source>Change a number</source>
        <translation>Eine Zahl ändern</translation>
    </message>
    <message>
        <source>Select a dimension at the left and drag its bandwidth, or type 100 GB/s. The run follows, and at the right stands what the change was worth. Ctrl+Z takes it back.</source>
        <translation>Eine Dimension links auswählen und an ihrer Bandbreite ziehen, oder 100 GB/s eintippen. Der Lauf folgt, und rechts steht, was die Änderung brachte. Strg+Z nimmt sie zurück.</translation>
    </message>
    <message>
        <source>Look at the timeline</source>
        <translation>Die Zeitachse ansehen</translation>
    </message>
    <message>
        <source>Click an interval to see what it is. W and S zoom, A and D move, C shows the critical path, Ctrl+F finds a task by its name. The colours of the platform follow the pointer.</source>
        <translation>Ein Klick auf ein Intervall zeigt, was es ist. W und S zoomen, A und D verschieben, C zeigt den kritischen Pfad, Strg+F sucht einen Task über seinen Namen. Die Farben der Plattform folgen dem Zeiger.</translation>
    </message>
    <message>
        <source>Follow a collective</source>
        <translation>Einem Kollektiv folgen</translation>
    </message>
    <message>
        <source>Here a collective moves step by step: Right and Left go on and back, Space plays. Below stands why a move begins when it does.</source>
        <translation>Hier läuft ein Kollektiv Schritt für Schritt: Rechts und Links gehen vor und zurück, Leertaste spielt ab. Unten steht, warum ein Zug dann beginnt, wann er beginnt.</translation>
    </message>
    <message>
        <source>Draw a fabric</source>
        <translation>Ein Netz zeichnen</translation>
    </message>
    <message>
        <source>Platforms are drawn, typed in one line or taken from a gallery; figures such as cables and bisection follow at each key.</source>
        <translation>Plattformen werden gezeichnet, in einer Zeile eingetippt oder aus einer Galerie genommen; Kennzahlen wie Kabel und Bisektion folgen bei jeder Taste.</translation>
    </message>
    <message>
        <source>Compare designs</source>
        <translation>Entwürfe vergleichen</translation>
    </message>
    <message>
        <source>Two to four designs stand side by side, with what each difference is worth. Ctrl+B in Explore pins the one on show.</source>
        <translation>Zwei bis vier Entwürfe stehen nebeneinander, mit dem, was jeder Unterschied ausmacht. Strg+B in Erkunden heftet den gezeigten an.</translation>
    </message>
    <message>
        <source>Study many of them</source>
        <translation>Viele davon untersuchen</translation>
    </message>
    <message>
        <source>A study varies fields of a design and runs all variants; open the one that comes with the program and press Run. Brush the points or an axis, and a point opens as a design.</source>
        <translation>Eine Studie variiert Felder eines Entwurfs und startet alle Varianten; die mitgelieferte öffnen und Starten drücken. Punkte oder eine Achse lassen sich eingrenzen, und ein Punkt öffnet sich als Entwurf.</translation>
    </message>
    <message>
        <source>Take it along</source>
        <translation>Mitnehmen</translation>
    </message>
    <message>
        <source>The report is written as PDF or HTML with Ctrl+E. Ctrl+Shift+P finds any command, ? lists all keys, F1 opens the manual.</source>
        <translation>Strg+E schreibt den Bericht als PDF oder HTML. Strg+Umschalt+P findet jeden Befehl, ? zeigt alle Tasten, F1 öffnet das Handbuch.</translation>
    </message>
    <message>
        <source>%1 goes on.</source>
        <translation>%1 geht weiter.</translation>
    </message>
</context>
<context>
    <name>fabricscope::TransformPage</name>
    <message>
        <source>Saved %1</source>
        <translation>Gespeichert: %1</translation>
    </message>
    <message>
        <source>Part of the step…</source>
        <translation>Teil des Schritts…</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Recovered steps are being opened.</source>
        <translation>Wiederhergestellte Schritte werden geöffnet.</translation>
    </message>
    <message>
        <source>Parts of the step</source>
        <translation>Teile des Schritts</translation>
    </message>
    <message>
        <source>Gradients and optimizer</source>
        <translation>Gradienten und Optimierer</translation>
    </message>
    <message>
        <source>Output of attention</source>
        <translation>Ausgabe der Attention</translation>
    </message>
    <message>
        <source>Output of the feed-forward part</source>
        <translation>Ausgabe des Feed-forward-Teils</translation>
    </message>
    <message>
        <source>Boundary of the pipeline</source>
        <translation>Grenze der Pipeline</translation>
    </message>
    <message>
        <source>No program is open.</source>
        <translation>Kein Programm offen.</translation>
    </message>
    <message>
        <source>Export the schedule</source>
        <translation>Ablaufplan exportieren</translation>
    </message>
    <message>
        <source>Schedules (*.schedule *.txt);;All files (*)</source>
        <translation>Ablaufpläne (*.schedule *.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Exported %1: fabricscope-cli transform FILE --apply %1</source>
        <translation>Exportiert: %1. fabricscope-cli transform FILE --apply %1</translation>
    </message>
</context>
<context>
    <name>fabricscope::changetext</name>
    <message>
        <source>D%1 bandwidth per NPU</source>
        <translation>D%1-Bandbreite je NPU</translation>
    </message>
    <message>
        <source>link %1 %2</source>
        <translation>Link %1 %2</translation>
    </message>
    <message>
        <source>NPU %1 %2</source>
        <translation>NPU %1 %2</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>NPU %1</source>
        <translation>NPU %1</translation>
    </message>
    <message>
        <source>%1 was %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>since %1</source>
        <translation>gegenüber %1</translation>
    </message>
</context>
</TS>
