"""Kinds of things: words for kinds, and things of each kind, so that "which pets" finds the puppy.

Common knowledge in English, one line a kind: the words a question uses, then things a text would name. It is no
dictionary; a kind that is not here is simply found by its own words.
"""

from functools import lru_cache

from goclaw.text.terms import stem, term_hash

KINDS = """
pet animal: dog puppy cat kitten rabbit bunny hamster guinea parrot bird fish goldfish turtle snake lizard horse
  pony ferret gerbil chicken pup
animal wildlife: dog cat horse bird fish bear deer fox wolf lion tiger elephant monkey whale dolphin shark cow pig
  sheep goat duck owl eagle squirrel rabbit turtle frog snake lizard bee butterfly
sport game: football soccer basketball baseball tennis golf hockey volleyball rugby cricket badminton swimming
  surfing skiing snowboarding skating running cycling boxing karate judo wrestling climbing rowing archery fencing
  gymnastics yoga
exercise workout fitness: yoga running jogging swimming cycling biking weights lifting gym boxing kickboxing
  taekwondo pilates aerobics hiking stretching squats pushups treadmill marathon crossfit zumba cardio
outdoor nature: hiking hike camping camp fishing kayaking canoe climbing surfing skiing biking picnic trail mountain
  lake beach park forest campfire backpacking gardening
hobby activity interest pastime: painting drawing reading writing cooking baking gardening hiking camping swimming
  running dancing singing photography pottery knitting sewing gaming chess puzzles fishing travel yoga cycling
  guitar piano violin skating museum
art craft: painting drawing sculpture pottery clay sketch canvas watercolor mural photography knitting crochet
  sewing embroidery weaving collage carving calligraphy
instrument music: guitar piano violin drums clarinet flute saxophone trumpet cello ukulele harp keyboard bass
  harmonica
book novel read literature: book novel author series chapter trilogy memoir biography reading library story fantasy
  fiction
movie film: movie film cinema trilogy sequel director actor thriller comedy drama documentary horror animated
  premiere
show series tv: series episode season sitcom show netflix drama anime
song artist band musician: song album band singer concert guitarist lyrics track rapper playlist
food dish meal: pizza pasta salad soup sandwich burger rice bread curry noodles sushi steak chicken fish taco
  omelette pancake lasagna stew roast cheese egg vegetable
dessert sweet treat: cake cookie ice cream pie brownie chocolate cupcake pudding tart cheesecake muffin candy donut
  pastry sorbet mousse parfait
drink beverage: coffee tea water juice wine beer soda smoothie cocktail milk lemonade whiskey latte
fruit: apple banana orange strawberry blueberry raspberry grape mango peach pear cherry lemon pineapple watermelon
  kiwi coconut
vegetable: carrot potato tomato onion broccoli spinach lettuce pepper cucumber cabbage bean pea garlic kale zucchini
  pumpkin
country nation abroad: america usa england france spain italy germany canada mexico japan china india brazil ireland
  scotland sweden norway denmark portugal greece turkey egypt kenya thailand australia argentina poland austria
  switzerland netherlands russia korea vietnam
city town: london paris rome tokyo berlin madrid barcelona chicago boston seattle york francisco angeles miami
  toronto vancouver sydney dublin edinburgh amsterdam vienna prague lisbon
state: california texas florida oregon washington colorado nevada arizona alaska hawaii michigan minnesota ohio
  virginia carolina massachusetts connecticut
place location area: park beach city town country mountain lake museum restaurant cafe school library gym studio
  church garden forest island downtown
family relative: mother father mom dad sister brother son daughter wife husband aunt uncle grandmother grandfather
  grandma grandpa cousin niece nephew kid child parent
child kid: son daughter baby toddler kid boy girl twin
job career profession occupation work: teacher nurse doctor engineer lawyer chef manager developer designer writer
  artist banker accountant scientist counselor driver barista dancer actor firefighter police therapist analyst
  intern
health medical condition illness: allergy asthma diabetes cancer flu cold fever injury surgery pain headache
  migraine anxiety depression doctor hospital gastritis obesity infection
emotion feel feeling: happy sad angry anxious excited nervous proud grateful scared lonely stressed relieved
  frustrated overwhelmed upset thrilled calm
vehicle transport: car truck bike bicycle motorcycle bus train plane van boat ship scooter suv prius
clothes clothing wear: shirt dress shoes jacket coat pants jeans hat scarf boots sweater sneakers socks skirt
  necklace
jewelry accessory: necklace ring bracelet earrings watch pendant brooch
gift present: gift present necklace book bouquet flowers card painting toy surprise
event celebration: party wedding birthday parade festival concert conference workshop meeting fundraiser gala
  exhibition race tournament competition ceremony graduation reunion fair auction
holiday festival: christmas thanksgiving halloween easter hanukkah diwali ramadan valentine
religion religious spiritual: church god faith prayer bible mosque temple christian muslim jewish buddhist
volunteer charity cause community: shelter charity volunteer donate fundraiser homeless veteran nonprofit food
  campaign toy drive school infrastructure
school education degree study: college university school class course degree major semester thesis exam graduate
  certificate psychology
plant flower garden: rose tulip sunflower lily daisy tree succulent orchid cactus herb seed
furniture home: couch sofa table chair desk bed lamp shelf rug
device gadget electronics: phone laptop computer tablet camera console headphones monitor keyboard router tv
game videogame: xbox playstation nintendo switch tournament chess monopoly catan valorant minecraft zelda fortnite
  strategy multiplayer
language: english spanish french german italian chinese japanese korean russian arabic portuguese hindi thai
database datastore: postgres postgresql mysql mariadb sqlite oracle mongodb redis clickhouse cassandra elasticsearch
programming framework library: python java javascript typescript rust go ruby react django flask spring vue angular
  node
server host machine: server host node vm container cluster instance gateway proxy
cloud provider: aws azure gcp s3 ec2 lambda kubernetes docker
weather: rain snow storm sun wind flood hurricane heat cold fog tornado
color colour: red blue green yellow purple orange pink black white brown gray turquoise
shop store buy purchase: bought purchased store shop mall market order
trip travel vacation visit: trip flight hotel vacation tour visited road cruise airport road
relax destress stress: relax calm therapy meditation yoga bath massage walk running pottery reading peace unwind
competition contest: tournament race championship match competition won prize
"""


def things_of(term: int) -> frozenset[int]:
    """The terms of things of a kind, by the term (its hash) that names the kind; empty where it names none."""
    return _by_kind().get(term, frozenset())


@lru_cache(maxsize=1)
def _by_kind() -> dict[int, frozenset[int]]:
    kinds: dict[int, frozenset[int]] = {}
    for line in KINDS.replace("\n  ", " ").strip().splitlines():
        names, _, things = line.partition(":")
        found = frozenset(term_hash(stem(thing)) for thing in things.split())
        for name in names.split():
            number = term_hash(stem(name))
            kinds[number] = kinds.get(number, frozenset()) | found
    return kinds
