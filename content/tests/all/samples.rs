//! Original worlds of a few records that use every kind of record and line, one for each dialect.

pub const DARK_PAWNS: [(&str, &str); 11] = [
    ("wld/index", "40.wld\n$\n"),
    ("zon/index", "40.zon\n41.zon\n$\n"),
    ("mob/index", "40.mob\n$\n"),
    ("obj/index", "40.obj\n$\n"),
    ("shp/index", "40.shp\n$\n"),
    (
        "wld/40.wld",
        "\
* The mill and what is around it.
#4001
The Mill Yard~
   Flour dust lies on everything ~ even on the cat.
A wheel creaks.

~
40 be 0 0 0 8
D0
A door of old planks.
~
door planks~
2 4010 4002
D4
~
~
0 -1 -1
D2
~
~
1 0 4100
E
wheel creak~
It turns, slowly.
~
R 40/mill.lua 3
S
#4002
The Loft~
Sacks.
~
40 AB 0 0 0 9
S 0 0
#4101
Below the Weir~
Water.
~
41 0 0 0 0 15
S
#99999
#4003
Never read~
~
$~
",
    ),
    (
        "zon/40.zon",
        "\
#40
The Mill~
4099 20 2
* who is here
M 0 4001 2 4001 \t(the miller)
G 1 4010 5 -1
E 1 4011 5 16
E 1 4011 5 21
L 0 0 3
O 0 4012 4 4001
P 1 4010 2 4012
L 0 1 0
O 0 4011 1 -1
D 0 4001 0 2
R 0 4001 1 4011
R 0 4001 0 4001
R 0 4001 4012 -1
S
$
",
    ),
    ("zon/41.zon", "#41\nThe Weir\n4199 0 1\nS\n$\n"),
    (
        "mob/40.mob",
        "\
#4001
miller man~
the miller~
The miller stands here, white from head to foot.
~
He coughs.
~
bd 0 0 0 E 2 0 0 350 E
12 8 -15 2d6+40 1d8-1
120 900
8 7 1
BareHandAttack: 7
Str: 16
StrAdd: 120
Race: 2
Noise: The miller sneezes.
Script: 40/miller.lua 5
quest: 1
E
$
",
    ),
    (
        "obj/40.obj",
        "\
#4010
key iron~
an iron key~
An iron key lies here.~
~
18 0 0 0 0 a 0 0 0
0 0 0 0
1 0 12.34
#4011
flail~
a flail~
A flail lies here.~
It whirls.~
5 BCa 0 0 0 anps 0 0 0
0 2 5 10
8 40 100
A
18 2
A
29 33
A
25 4
S 40/flail.lua 1
E
flail wood~
Two sticks and a thong.
~
#4012
barrel~
a barrel~
A barrel stands here.~
~
15 0 0 0 0 0 0 0 0
100 13 4010 0
30 5 0
#4013
cider~
a jug of cider~
A jug stands here.~
~
17 0 0 0 0 a 0 0 0
10 20 2 1
3 5 50.5
$
",
    ),
    (
        "shp/40.shp",
        "\
CircleMUD v3.0 Shop File~
#4000~
4010
4013
-1
1.15
0.5
9
5 flail|club ; sticks only
food
-1
%s No such thing.~
%s You have none.~
%s Not mine.~
%s I am poor.~
%s You are poor.~
%s That is %d.~
%s Here is %d.~
1
3
4001
72
4001
-1
6
12
14
20
$
",
    ),
];

pub const TBAMUD: [(&str, &str); 9] = [
    ("wld/index", "7.wld\n$\n"),
    ("zon/index", "7.zon\n$\n"),
    ("mob/index", "7.mob\n$\n"),
    ("obj/index", "7.obj\n$\n"),
    (
        "wld/7.wld",
        "\
#701
The @RRed@n Hall~
Write to a@@b.org.
~
7 dq 0 0 0 8
D1
~
door~
3 65535 702
D3
~
door~
4 -1 702
D6
~
~
0 -1 702
S
T 700
T 701
#702
The Other Hall~
~
7 0 0 0 0 9
D3
~
~
0 -1 799
S
#703
An Old Hall~
Copied from an older world.
~
7 c 3
S
$~
",
    ),
    (
        "zon/7.zon",
        "\
#7
The Builder~
Two Halls~
700 799 30 1 d 0 0 0 3 12
M 0 700 1 701
T 1 0 700 -1
V 1 0 0 0 name value
D 0 701 6 1
D 0 701 1 1
R 0 702 0 -1 \t(a thing)
O 1 701 99 702
S
$
",
    ),
    (
        "mob/7.mob",
        "\
#700
guard~
a guard~
A guard is on watch.
~
~
abds 0 0 0 bqrtv 0 0 0 -1000 E
20 2 3 5d10+50 2d4+2
0 0
8 8 2
Dex: 18
SavingPara: 20
E
T 700
#701
rat~
a rat~
A rat squeaks.
~
~
a a 0 S
1 20 10 1d4+0 1d2+0
0 10
6 8 0
$
",
    ),
    (
        "obj/7.obj",
        "\
#701
chair~
a chair~
A chair stands here.~
~
6 r 0 0 0 a 0 0 0 b 0 0 0
0 0 0 0
5 6 7 8 9
T 700
#702
thing~
a thing~
A thing.~
~
7 0 0 0 0 a 0 0 0 0 0 0 0
0 0 0 0
1 1 1 4
$
",
    ),
    ("trg/7.trg", "not looked at"),
];

pub const STOCK: [(&str, &str); 6] = [
    (
        "lib/world/wld/10.wld",
        "#1001\nThe Green~\nGrass.\n~\n10 72 2\nD0\n~\n~\n0 -1 1002\nS\n#1002\nThe Pond~\nFrogs.\n~\n10 0 6\nD2\n~\n~\n\
         0 -1 1001\nS\n$\n",
    ),
    ("lib/world/zon/10.zon", "#10\nThe Village~\n1099 30 2\nM 0 1001 1 1001\nG 1 1001 9\nR 0 1001 1002\nS\n$\n"),
    (
        "lib/world/mob/10.mob",
        "#1001\nfrog~\na frog~\nA frog sits here.\n~\nGreen.\n~\n66 262144 0 S\n1 20 10 1d6+2 1d2+0\n0 5\n8 8 0\n$\n",
    ),
    (
        "lib/world/obj/10.obj",
        "#1001\npebble~\na pebble~\nA pebble.~\n~\n13 0 1\n0 0 0 0\n1 0 0\n#1002\nring~\na ring~\nA ring.~\n~\n\
         11 64 3 128\n0 0 0 0\n1 500 20\nA\n17 -10\n$\n",
    ),
    (
        "lib/world/shp/10.shp",
        "#1000~\n1001\n0\n0\n0\n0\n2.0\n0.25\n11\n0\n0\n0\n0\na~\nb~\nc~\nd~\ne~\nf~\ng~\n2\n0\n1001\n0\n1002\n0\n28\n\
         0\n0\n$\n",
    ),
    ("lib/text/motd", "not looked at"),
];

pub const NATIVE: [(&str, &str); 10] = [
    (
        "world.toml",
        "\
name = \"Two Fields\"
start_room = 501
greeting = \"\"\"
Welcome.
Who are you?
\"\"\"
motd = \"Be kind.\"

[listing]
website = \"https://mud.example.org\"
status = \"Closed Beta\"
created = 2026

[jail]
room = 502
outside = 501

[hunters]
moon = { mob = 503, room = 501 }

[gates]
new = { room = 502, to = 501 }
full = { room = 501, to = 502 }
art = 502

[[hometown]]
key = \"F\"
name = \"the Fields\"
room = 501
",
    ),
    (
        "zones/5_fields/zone.toml",
        "\
number = 5
name = \"The Fields\"
builders = \"us\"
first = 500
last = 520
lifespan_minutes = 7
reset = \"empty\"
levels = [1, 5]
rumour = \"It grows.\"
",
    ),
    (
        "zones/5_fields/rooms.toml",
        "\
[[room]]
vnum = 501
name = \"A Field\"
sector = \"field\"
flags = [\"dark\", \"arena\"]
description = \"\"\"
Stubble.
\"\"\"
[room.exits.west]
description = \"A hedge.\"
[room.exits.north]
to = 502
keywords = \"gate\"
door = [\"door\", \"hidden\"]
key = 510
[[room.extra]]
keywords = \"stubble\"
text = \"\"\"
Short.

Sharp.
\"\"\"

[[room]]
vnum = 502
name = \"Another Field\"
description = \"Clover.\"
",
    ),
    (
        "zones/5_fields/mobs.toml",
        "\
[[mob]]
vnum = 503
keywords = \"hare\"
short = \"a hare\"
long = \"A hare listens.\"
flags = [\"wimpy\"]
affects = [\"sneak\"]
alignment = 10
level = 2
hit_roll = 3
armor = 70
hit_points = \"2d6+3\"
damage = \"1d3-1\"
gold = 1
experience = 12
load_position = \"sitting\"
sex = \"female\"
race = \"mammal\"
attack = \"bite\"
abilities = { dexterity = 18, strength_add = 4 }
noise = \"A hare thumps.\"
",
    ),
    (
        "zones/5_fields/objects.toml",
        "\
[[object]]
vnum = 510
keywords = \"key\"
short = \"a key\"
long = \"A key lies here.\"
wear = [\"take\"]
load_percent = 33.25
[object.kind]
type = \"key\"

[[object]]
vnum = 511
keywords = \"scroll\"
short = \"a scroll\"
long = \"A scroll lies here.\"
wear = [\"take\"]
applies = [{ to = \"hit_roll\", by = -1 }]
[object.kind]
type = \"scroll\"
level = 9
spells = [4, 5]
[[object.extra]]
keywords = \"ink\"
text = \"Brown.\"

[[object]]
vnum = 512
keywords = \"chest\"
short = \"a chest\"
long = \"A chest.\"
[object.kind]
type = \"container\"
capacity = 40
flags = [\"closeable\", \"closed\"]
key = 510
",
    ),
    (
        "zones/5_fields/shops.toml",
        "\
[[shop]]
vnum = 504
keeper = 503
products = [511]
sells_at = 1.5
trades = [{ item = \"scroll\", keywords = \"old\" }]
hours = [[6, 12], [14, 20]]
refuses = [\"no_thief\"]
[shop.messages]
no_such_item = \"a\"
no_such_offer = \"b\"
does_not_trade = \"c\"
keeper_is_poor = \"d\"
customer_is_poor = \"e\"
bought = \"f\"
sold = \"g\"
",
    ),
    (
        "zones/5_fields/answers.toml",
        "\
[[answer]]
mob = 503
to = [\"chest\", \"key\"]
says = \"It is locked.\"
hours = [22, 5]
levels = [1, 4]
alignment = [0, 1000]
carries = 510

[[answer]]
mob = 503
greets = true
says = \"Who is there?\"

[[trade]]
mob = 503
takes = 510
gives = 511
says = \"For a key.\"
levels = [1, 9]
",
    ),
    (
        "zones/5_fields/resets.toml",
        "\
[[object]]
object = 512
room = 501
  [[object.put]]
  object = 511
  max = 2

[[mob]]
mob = 503
room = 502
  [[mob.give]]
  object = 512
  max = 7
    [[mob.give.put]]
    object = 510
  [[mob.equip]]
  object = 510
  slot = \"hold\"

[[door]]
room = 501
direction = \"north\"
locked = true
",
    ),
    ("zones/6_empty/zone.toml", "number = 6\nname = \"Nothing\"\nfirst = 600\nlast = 699\n"),
    (
        "socials.toml",
        "\
[[social]]
name = \"bow\"
position = \"standing\"
hidden = true
actor = \"You bow.\"
victim = \"$n bows.\"
",
    ),
];
